// SPDX-FileCopyrightText: The Concord Authors
// SPDX-License-Identifier: Apache-2.0

// A button of a legend shows and hides its series in all plots of the family.
for (const button of document.querySelectorAll(".legend button")) {
  button.addEventListener("click", () => {
    const shown = button.getAttribute("aria-pressed") !== "true";
    button.setAttribute("aria-pressed", String(shown));
    for (const series of button.closest(".family").querySelectorAll("svg .series")) {
      if (series.dataset.series === button.dataset.series) series.classList.toggle("off", !shown);
    }
  });
}

// A mark says its row: the one that is nearest to the pointer, for fingers too.
const tip = document.getElementById("tip");
const kReach = 24;

function nearest(plot, x, y) {
  let best = null;
  let least = kReach;
  for (const mark of plot.querySelectorAll(".series:not(.off) .mark")) {
    const box = mark.getBoundingClientRect();
    const away = Math.hypot(box.x + box.width / 2 - x, box.y + box.height / 2 - y);
    if (away < least) [best, least] = [mark, away];
  }
  return best;
}

function show(event) {
  const plot = event.target.closest(".plots svg");
  const mark = plot && nearest(plot, event.clientX, event.clientY);
  tip.hidden = !mark;
  if (!mark) return;
  tip.textContent = mark.dataset.tip;
  const box = tip.getBoundingClientRect();
  const left = Math.min(event.clientX + 14, innerWidth - box.width - 8);
  const above = event.clientY + 18 + box.height > innerHeight;
  tip.style.left = Math.max(4, left) + "px";
  tip.style.top = (above ? event.clientY - box.height - 12 : event.clientY + 18) + "px";
}

document.addEventListener("pointermove", show);
document.addEventListener("pointerdown", show);
document.addEventListener("scroll", () => { tip.hidden = true; }, {passive: true});
