/* The page's side of every panel. It makes the page like the HTML that Python has drawn, and sends
   back what a learner did: the action that the control declares (data-act), its first arguments
   (data-key, JSON without the outer brackets), and what was typed, chosen or slid to. */

export default { render({ model, el, signal }) {
  const root = document.createElement('div');
  const waiting = document.createElement('p');  // what Python says while an action takes long
  el.replaceChildren(root, waiting);

  // --- what a learner did: one message is under way, the others wait in their order -------------
  const view = Math.random();  // of several views of one panel, each waits for its own answers
  const queue = [];
  let underWay = null, count = 0, drawnFor = '';
  let typing = null;  // the box whose text is not sent yet

  function tell(control, ...value) {
    const { act, key } = control.dataset, id = `${view} ${count += 1}`;
    const content = { id, action: act, arguments: [...JSON.parse(`[${key ?? ''}]`), ...value] };
    // Of several values of one control that wait, the newest is the one that counts.
    if (value.length && queue.at(-1)?.control === control) queue.pop();
    queue.push({ control, content });
    if (!underWay) sendNext();
  }
  function sendNext() {
    underWay = queue.shift();
    if (underWay) model.send(underWay.content);
  }
  const isAnswered = () => underWay?.content.id === model.get('answered');
  function onAnswer() {
    waiting.textContent = '';
    if (!isAnswered()) return;
    if (drawnFor !== model.get('answered')) draw();  // the HTML is as before: refused once more
    sendNext();
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
  root.addEventListener('submit', event => {  // a form has one answer, sent by Enter or its button
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
    if (key === 'Enter' && target.form) {
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
  const waits = control => queue.some(message => message.control === control);
  const isTold = control => underWay?.control === control || waits(control);
  // Its answer is still to come: a drawing before it, as when PyTorch arrives, shows an older state.
  const isAwaited = control => waits(control) || (isTold(control) && !isAnswered());

  // By what a part is known again where others come and go before it; a toggle is itself in both states.
  const identity = ({ type, dataset, nodeName, classList }) => (dataset?.act
    ? `${type} ${dataset.act} ${dataset.key}`.replace(/ (true|false)$/, '')
    : nodeName === 'DIV' && classList[0]) || '';
  const alike = (one, other) => one.nodeName === other.nodeName && identity(one) === identity(other);

  function morph(old, fresh) {
    const hasControls = fresh.matches?.('input, select') || fresh.querySelector?.('input, select');
    if (!hasControls && old.isEqualNode(fresh)) return;
    if (old.nodeType !== Node.ELEMENT_NODE) {
      old.data = fresh.data;
    } else if (fresh.matches('[aria-busy]')) {  // awaited: it keeps what it shows
      old.setAttribute('aria-busy', 'true');
    } else if (!isSlid(old, fresh)) {
      const isNew = old.matches('[aria-invalid]')
        || old.getAttribute('value') !== fresh.getAttribute('value');
      morphAttributes(old, fresh);
      morphChildren(old, fresh);
      if (old.matches('input, select')) setValue(old, isNew);
    }
  }
  const isSlid = (old, fresh) => old.type === 'range' && (isAwaited(old)  // its scale stays
    || (old === document.activeElement && old.value === fresh.getAttribute('value')));
  function morphAttributes(old, fresh) {
    for (const { name, value } of fresh.attributes) {
      if (old.getAttribute(name) !== value) old.setAttribute(name, value);
    }
    for (const { name } of [...old.attributes]) {
      const own = name === 'data-lm-suppress-shortcuts' || (name === 'open' && old.matches('details'));
      if (!own && !fresh.hasAttribute(name)) old.removeAttribute(name);
    }
  }
  function morphChildren(old, fresh) {
    const left = [...old.childNodes];
    for (const wanted of [...fresh.childNodes]) {
      const place = left.findIndex(node => alike(node, wanted));
      if (place < 0 || (place > 0 && !identity(wanted))) {
        old.insertBefore(wanted, left[0] ?? null);
        continue;
      }
      for (const gone of left.splice(0, place)) gone.remove();
      morph(left.shift(), wanted);
    }
    for (const gone of left) gone.remove();
  }
  /* A control shows what Python says, unless a learner has it in hand: what was typed stays as
     typed while it means what is drawn (1/3), or while it was refused and is to be corrected. */
  function setValue(control, isNew) {
    const drawn = control.getAttribute('value') ?? '';
    const inHand = control.matches('[aria-invalid]') || control === typing || isTold(control);
    const follows = control.type === 'text' && isNew && !inHand;
    if ((control.type === 'range' || follows) && control.value !== drawn) control.value = drawn;
    if (isAwaited(control)) return;
    if (control.type === 'checkbox') control.checked = control.hasAttribute('checked');
    const chosen = control.querySelector('option[selected]')?.index ?? -1;
    if (control.matches('select') && control.selectedIndex !== chosen) control.selectedIndex = chosen;
  }
  function draw() {
    const page = document.createElement('template');
    page.innerHTML = model.get('html');
    drawnFor = model.get('answered');
    morphChildren(root, page.content);
  }
  draw();
  model.on('change:html', draw);
  model.on('change:answered', () => queueMicrotask(onAnswer));  // after the same message's drawing
  model.on('msg:custom', content => { waiting.textContent = content.waiting; });
} };
