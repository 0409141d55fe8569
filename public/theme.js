// Runs before the first paint, so that the page never shows the wrong theme. A file of its own: the content security
// policy allows no inline scripts. Keys and names as in lib/client/preferences.ts.
for (const name of ['theme', 'ledger', 'sidebar', 'density', 'motion', 'text']) {
  try {
    const value = localStorage.getItem(`lagoon:${name}`)
    if (value) document.documentElement.dataset[name] = value
  } catch {
    break
  }
}

// What is typed before the page's code is there belongs to the message; from `data-live` on components/shell/shortcuts.ts sees to it.
addEventListener('keydown', (event) => {
  const { key, ctrlKey, metaKey, altKey, target } = event
  const isSign = key?.length === 1 && key !== ' ' && !ctrlKey && !metaKey && !altKey
  const isEarly = !('live' in document.documentElement.dataset)
  if (isSign && isEarly && target === document.body) document.getElementById('message')?.focus()
})
