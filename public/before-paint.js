// Runs before the first paint, so that the page never shows the wrong theme. A file of its own: the content security
// policy allows no inline scripts. Keys and names as in lib/browser/preferences.ts.
for (const name of ['theme', 'ledger', 'sidebar', 'density', 'motion', 'text']) {
  try {
    const value = localStorage.getItem(`lagoon:${name}`)
    if (value) document.documentElement.dataset[name] = value
  } catch {
    break
  }
}

// Typed before the page answers: it belongs to the message.
addEventListener('keydown', ({ key, ctrlKey, metaKey, altKey, target }) => {
  if (key?.length !== 1 || key === ' ' || ctrlKey || metaKey || altKey || target !== document.body) return
  if (!('live' in document.documentElement.dataset)) document.getElementById('message')?.focus()
})
