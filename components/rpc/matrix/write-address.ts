/**
 * Puts what a page shows into its address, as long as it is there. The router takes an address that goes through its own
 * `history.replaceState` for a change of mind, and calls off a jump to another page that has begun; so this goes past it.
 */
export function writeAddress(href: string): void {
  const { history, location } = window
  if (new URL(href, location.href).pathname !== location.pathname) return
  // What the router keeps with the entry stays with it.
  Object.getPrototypeOf(history).replaceState.call(history, history.state, '', href)
}
