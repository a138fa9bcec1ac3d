/* The page's side of every panel. It makes the page like the HTML that Python has drawn, and sends
   back what a learner did: the action that the control declares (data-act), its first arguments
   (data-key, JSON without the outer brackets), and what was typed, chosen or slid to. */

export default { render({ model, el, signal }) {
  const root = document.createElement('div');
  const waiting = document.createElement('p');  // what Python says while an action takes long
  el.replaceChildren(root, waiting);

  // --- what a learner did: the first message is under way, the others wait in their order ---------
  const messages = [];
  let answered = null;  // the control whose message the drawing answers
  let typing = null;  // the box whose text is not sent yet

  function tell(control, ...value) {
    const { act, key } = control.dataset;
    const id = String(Math.random());  // so that of several views each waits for its own answers
    const content = { id, action: act, arguments: [...JSON.parse(`[${key ?? ''}]`), ...value] };
    // Of several values of one control that wait, the newest is the one that counts.
    if (value.length && messages.slice(1).at(-1)?.control === control) messages.pop();
    messages.push({ control, content });
    if (messages.length === 1) model.send(content);
  }
  function typed() {
    if (typing?.dataset.act) tell(typing, typing.value);
    typing = null;
  }
  root.addEventListener('input', ({ target }) => {
    if (target.type === 'text') typing = target;
    if (target.type === 'range') tell(target, target.value);
  });
  root.addEventListener('focusout', () => { typing = null; });  // typed, and taken back: no change
  root.addEventListener('change', ({ target }) => {
    if (target.type === 'text') typed();
    if (target.type === 'checkbox') tell(target, target.checked);
    if (target.matches('select')) tell(target, JSON.parse(target.value));
  });
  root.addEventListener('click', event => {
    const control = event.target.closest('button[data-act]');
    if (control) tell(control);
  });
  root.addEventListener('submit', event => {
    event.preventDefault();
    tell(event.target, new FormData(event.target).get('answer') ?? '');
  });

  // --- keys: none that is pressed within a panel reaches JupyterLab, where "x" would cut the cell --
  let hasFocus = false;  // also once what had it was switched off, which leaves the keys to the page
  function onKey(event) {
    const { target, key } = event, lost = hasFocus && target === document.body;
    if (!lost && !el.contains(target)) return;
    const plain = !event.ctrlKey && !event.metaKey && !event.altKey;
    if (lost && plain && key !== 'Tab') event.stopPropagation();
    if (!lost) target.toggleAttribute('data-lm-suppress-shortcuts', plain);
    if (key === 'Enter' && target.form) {  // a form has one answer
      event.preventDefault();
      target.form.requestSubmit();
    } else if (key === 'Enter' && target === typing) typed();
    if (!plain || target.matches('input:not([type=range], [type=checkbox]), select')) return;
    root.querySelector(`button[aria-keyshortcuts="${CSS.escape(key.toLowerCase())}"]:enabled`)?.click();
  }
  window.addEventListener('keydown', onKey, { signal, capture: true });  // until the view is closed
  window.addEventListener('focusin', event => { hasFocus = el.contains(event.target); }, { signal });

  // --- a stopped kernel is said once: anywidget drops the listener with which ipywidgets would -----
  model.widget_manager.get_model(model.get('own_id'))?.then(real => {
    model.on('comm_live_update',
      () => el.classList.toggle('jupyter-widgets-disconnected', !real.comm_live));
    // A script that a slow page took over 2 seconds to load counts as failed: anywidget then lets
    // no message through. So they are heard without it, and what was lost is asked for.
    real._handle_comm_msg({ content: { data: {} } }).catch(() => {
      const { _handle_comm_msg: hear } = Object.getPrototypeOf(real.constructor.prototype);
      real.comm?.on_msg(message => hear.call(real, message));
      real.comm?.send({ method: 'request_state' }, {});
    });
  });

  // --- drawing: what did not change is not touched, so focus, caret, selection and scroll stay -----
  // Its answer is still to come: a drawing before it, as when PyTorch arrives, shows an older state.
  const isAwaited = control => messages.some(message => message.control === control);
  const isSlid = (old, fresh) => old.type === 'range' && (isAwaited(old)
    || (old === document.activeElement && old.value === fresh.getAttribute('value')));

  // By what a part is known again where others come and go before it; a toggle is itself in both states.
  function identity(node) {
    const act = node.getAttribute?.('data-act');
    if (!act) return (node.nodeName === 'DIV' && node.classList[0]) || '';
    return `${node.type} ${act} ${node.getAttribute('data-key')}`.replace(/ (true|false)$/, '');
  }
  const alike = (one, other) => one.nodeName === other.nodeName && identity(one) === identity(other);

  function morph(old, fresh) {
    if (old.isEqualNode(fresh)) return;
    if (old.nodeType !== Node.ELEMENT_NODE) old.data = fresh.data;
    else if (old.nodeName === 'svg') old.replaceWith(fresh);  // no hand has hold of a drawing
    else if (fresh.matches('[aria-busy]')) old.setAttribute('aria-busy', 'true');  // stays till then
    else if (isSlid(old, fresh)) old.setAttribute('value', fresh.getAttribute('value'));
    else morphElement(old, fresh);
  }
  function morphElement(old, fresh) {
    const isNew = old.matches('[aria-invalid]')
      || old.getAttribute('value') !== fresh.getAttribute('value');
    for (const name of new Set([...old.getAttributeNames(), ...fresh.getAttributeNames()])) {
      const value = fresh.getAttribute(name);
      if (name === 'open' || value === old.getAttribute(name)) continue;  // a fold is the learner's
      if (value === null) old.removeAttribute(name);
      else old.setAttribute(name, value);
    }
    morphChildren(old, fresh);
    // What was typed stays as typed while it means what is drawn (1/3), or is to be corrected.
    const stays = [typing, answered].includes(old) || isAwaited(old) || old.matches('[aria-invalid]');
    if (old.type === 'text' && isNew && !stays) old.value = fresh.getAttribute('value') ?? '';
  }
  function morphChildren(old, fresh) {
    const left = [...old.childNodes];
    for (const wanted of [...fresh.childNodes]) {
      const place = left.findIndex(node => alike(node, wanted));
      if (place < 0 || (place > 0 && !identity(wanted))) {
        old.insertBefore(wanted, left[0] ?? null);
      } else {
        for (const gone of left.splice(0, place)) gone.remove();
        morph(left.shift(), wanted);
      }
    }
    for (const gone of left) gone.remove();
  }
  // What a learner chose and Python did not take goes back, though the drawing is as it was before.
  function takeBack(control) {
    if (control.type === 'range') control.value = control.getAttribute('value');
    if (control.type === 'checkbox') control.checked = control.hasAttribute('checked');
    const chosen = control.querySelector('option[selected]')?.index ?? -1;
    if (control.matches('select') && control.selectedIndex !== chosen) control.selectedIndex = chosen;
  }
  function draw() {
    const page = document.createElement('template');
    page.innerHTML = model.get('html');
    morphChildren(root, page.content);
    const controls = [...root.querySelectorAll('input, select')];
    controls.filter(control => !isAwaited(control)).forEach(takeBack);
  }
  draw();
  model.on('change', () => {  // a drawing, an answer, or both in one message
    waiting.textContent = '';
    const isAnswered = messages[0]?.content.id === model.get('answered');
    answered = isAnswered ? messages.shift().control : null;
    draw();
    if (isAnswered && messages.length) model.send(messages[0].content);
  });
  model.on('msg:custom', content => { waiting.textContent = content.waiting; });
} };
