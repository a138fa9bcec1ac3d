// Python's worker starts now, beside JupyterLab, and is handed over when JupyterLab asks for one.
if (!crossOriginIsolated) {  // where pages are isolated, JupyterLite takes another worker
  const place = new URL(document.currentScript.dataset.worker, location);
  const started = new Worker(place, { type: "module" });
  window.Worker = new Proxy(Worker, {
    construct(Ordinary, [asked, ...options]) {
      if (new URL(asked, location).pathname !== place.pathname) return new Ordinary(asked, ...options);
      window.Worker = Ordinary;  // who starts Python anew gets a new one
      return started;
    },
  });
}
