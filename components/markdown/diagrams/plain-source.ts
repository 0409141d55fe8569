/** Settings that a diagram brings along: colours, fonts, security. Ours are used. */
const DIRECTIVE = /%%\{[\s\S]*?\}%%/g
const FRONT_MATTER = /^\s*---[ \t]*\n[\s\S]*?\n---[ \t]*(?:\n|$)/
/** A picture by address, a style that loads, an escape that hides one. */
const LOADS =
  /\burl\s*\(|@import|\bimg\s*:|\bimage-set|\\[\da-f]{1,6}|<\s*(?:img|image|script|iframe|object|embed|link|style)\b/i
/** Links and calls on a click are not part of a picture. */
const CLICK = /^[ \t]*(?:click|links?|callback)[ \t][^\n]*$/gim

/** The source of a diagram without its settings; `undefined` when it wants to load something. */
export function plainSource(source: string): string | undefined {
  const plain = source.replace(DIRECTIVE, '').replace(FRONT_MATTER, '').replace(CLICK, '')
  return LOADS.test(plain) ? undefined : plain
}
