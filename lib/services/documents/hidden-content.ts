/** What no reader of the page sees, or what is no text. */
const DROPPED =
  'script,style,noscript,template,iframe,frame,object,embed,applet,svg,math annotation,canvas,audio,video,map,dialog:not([open]),' +
  'input,select,textarea,button,link,meta,base,[hidden],[aria-hidden="true"]'
const HIDING =
  /(?:^|[;{\s])(?:display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)|opacity\s*:\s*0*(?:\.0+)?(?=[;!}\s]|$)|font-size\s*:\s*0*(?:\.0+)?(?:px|pt|em|rem|%)?(?=[;!}\s]|$))/i
const LONGEST_STYLESHEET = 200_000
const MOST_HIDDEN_NAMES = 5_000
const COMMENT_NODE = 8

/**
 * Removes what is in the page but not to be seen: scripts, comments, hidden elements. Text that only a machine reads is
 * where instructions to a model are put. Style sheets count as far as they hide single classes and ids.
 */
export function dropHidden(document: Document): void {
  const { classes, ids } = hiddenNames(document)
  const doomed: Element[] = [...document.querySelectorAll(DROPPED)]
  for (const element of document.querySelectorAll('[style],[class],[id]')) {
    const style = element.getAttribute('style')
    const isHidden =
      (style !== null && HIDING.test(style.slice(0, 2_000))) ||
      (ids.size > 0 && ids.has(element.getAttribute('id') ?? '')) ||
      (classes.size > 0 && (element.getAttribute('class') ?? '').split(/\s+/).some((name) => classes.has(name)))
    if (isHidden && element !== document.body && element !== document.documentElement) doomed.push(element)
  }
  for (const element of doomed) element.remove()
  dropComments(document)
}

function dropComments(root: Node): void {
  const comments: Node[] = []
  for (let node: Node | null = root; node; node = following(node, root)) {
    if (node.nodeType === COMMENT_NODE) comments.push(node)
  }
  for (const comment of comments) comment.parentNode?.removeChild(comment)
}

/** The next node in document order. */
export function following(node: Node, root: Node): Node | null {
  if (node.firstChild) return node.firstChild
  let at: Node | null = node
  while (at && at !== root) {
    if (at.nextSibling) return at.nextSibling
    at = at.parentNode
  }
  return null
}

/** Classes and ids that the page's own style sheets hide, outside of conditions such as `@media`. */
function hiddenNames(document: Document): { classes: Set<string>; ids: Set<string> } {
  const classes = new Set<string>()
  const ids = new Set<string>()
  for (const style of document.querySelectorAll('style')) {
    for (const { selector, body } of topRules((style.textContent ?? '').slice(0, LONGEST_STYLESHEET))) {
      if (!HIDING.test(body)) continue
      for (const part of selector.split(',')) {
        const match = /^\s*([.#])([\w-]{1,100})\s*$/.exec(part)
        const names = match?.[1] === '.' ? classes : ids
        if (match && names.size < MOST_HIDDEN_NAMES) names.add(match[2]!)
      }
    }
  }
  return { classes, ids }
}

function* topRules(css: string): Generator<{ selector: string; body: string }> {
  const plain = withoutComments(css)
  let depth = 0
  let start = 0
  let open = 0
  for (let i = 0; i < plain.length; i++) {
    if (plain[i] === '{' && depth++ === 0) open = i
    else if (plain[i] === '}' && depth > 0 && --depth === 0) {
      const selector = plain.slice(start, open)
      if (!selector.includes('@')) yield { selector, body: plain.slice(open + 1, i) }
      start = i + 1
    }
  }
}

/** By hand: a pattern for comments takes quadratic time on a sheet of comments that never end. */
function withoutComments(css: string): string {
  const [first = '', ...rest] = css.split('/*')
  const after = rest.map((piece) => (piece.includes('*/') ? piece.slice(piece.indexOf('*/') + 2) : ''))
  return [first, ...after].join(' ')
}
