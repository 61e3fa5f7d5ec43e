# SPDX-FileCopyrightText: The Concord Authors
# SPDX-License-Identifier: Apache-2.0
#
# What README's two commands need: Debian 12 with git, and what tools/setup adds.
#
#   docker build --tag concord .
#   docker run --rm --volume "$PWD:/concord" concord               # every test
#   docker run --rm --volume "$PWD:/concord" concord tools/demo
FROM debian:12
RUN apt-get update && apt-get install -y --no-install-recommends git
# The checkout belongs to whoever mounts it.
RUN git config --system --add safe.directory /concord
WORKDIR /concord
COPY tools/setup tools/setup
RUN tools/setup
CMD ["tools/test"]
