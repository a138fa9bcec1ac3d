/* What the page itself has to do, once: no key that is pressed within a panel reaches JupyterLab,
   where "x" would cut the cell; N and P press the buttons that a panel names for them, also after
   the button that had the focus was switched off or hidden, which leaves it to the page; a slider's
   handle gets the name of its slider, which ipywidgets does not give it. */
if (!window.minigradKeys) {
  window.minigradKeys = true;
  let last = null;
  window.addEventListener('focusin', event => { last = event.target; });
  window.addEventListener('keydown', event => {
    const lost = event.target === document.body && last && last.matches &&
      last.matches(':disabled, .mg-hidden, .mg-hidden *');
    const at = lost ? last : event.target;
    const panel = at.closest && at.closest('.mg-panel');
    if (!panel) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    at.toggleAttribute('data-lm-suppress-shortcuts', plain);
    if (!plain || !/^[a-z]$/i.test(event.key)) return;
    if (at.matches('input, select, textarea')) return;
    panel.querySelector('.mg-key-' + event.key.toLowerCase() + ':not(:disabled)')?.click();
  }, true);
  const name = () => document.querySelectorAll('.mg-panel .noUi-handle:not([aria-label])').forEach(
    handle => handle.setAttribute('aria-label',
      handle.closest('.widget-slider')?.querySelector('.widget-label')?.textContent || 'slider'));
  new MutationObserver(name).observe(document.body, {childList: true, subtree: true});
}
