//! What is looked at in the page.

pub(super) const LOOK: &str = "
    const root = document.querySelector('[data-screen=question]');
    const find = id => root.querySelector(`[data-testid=\"${id}\"]`);
    const dials = [];
    for (let i = 0; ; i++) {
      const slider = find(`dial-${i}`);
      if (slider) {
        dials.push({ min: +slider.min, max: +slider.max, value: +slider.value });
        continue;
      }
      const options = [...root.querySelectorAll(`[data-testid^=\"dial-${i}-option-\"]`)];
      if (options.length === 0) break;
      dials.push({ options: options.length, chosen: options.findIndex(o => o.checked) });
    }
    return {
      stage: +root.dataset.stage, question: +root.dataset.question,
      dials, alignment: find('alignment').dataset.alignment,
      solved: !!find('move-on'), canSkip: !!find('skip'),
    };";

/// Notes value and alignment at every picture until `window.redialWatch` is called.
pub(super) const WATCH: &str = "
    const [dial] = arguments;
    const root = document.querySelector('[data-screen=question]');
    const slider = root.querySelector(`[data-testid=\"dial-${dial}\"]`);
    const meter = root.querySelector('[data-testid=alignment]');
    const seen = [];
    let on = true;
    const note = () => {
      const now = [+slider.value, +meter.dataset.alignment];
      const last = seen[seen.length - 1];
      if (last && last[0] === now[0]) last[1] = now[1]; else seen.push(now);
      if (on) requestAnimationFrame(note);
    };
    note();
    window.redialWatch = () => { on = false; return seen; };";
