// Sets the colours before the first paint. A file of its own, because the page allows no inline script.
(function () {
  var kept = null;
  try {
    kept = localStorage.getItem('theme');
  } catch (error) {
    // Storage may be switched off; the system's scheme is used then.
  }
  var dark = kept ? kept === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches;
  document.documentElement.dataset.theme = dark ? 'dark' : 'light';
})();
