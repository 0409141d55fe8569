import temml from 'temml'

export type MathElement = {
  tag: string
  attributes: Record<string, string>
  style: Record<string, string>
  children: (MathElement | string)[]
}

const MAX_LATEX_CHARS = 10_000
const MAX_SIZE_EM = 25
const MAX_EXPANSIONS = 500
const MAX_NODES = 5_000

/**
 * Draws LaTeX as MathML. The tree is copied from a list of harmless elements: no link, no image, no class of the page
 * and no style that could leave the formula's box. `undefined` when the formula has a fault or is too long.
 */
export function drawMath(latex: string, isDisplay: boolean): MathElement | undefined {
  if (latex.length > MAX_LATEX_CHARS) return undefined
  try {
    const drawn: unknown = temml.__renderToMathMLTree(latex, {
      displayMode: isDisplay,
      throwOnError: true,
      trust: false,
      strict: false,
      maxSize: [MAX_SIZE_EM, MAX_SIZE_EM],
      maxExpand: MAX_EXPANSIONS,
    })
    const budget = { nodes: MAX_NODES }
    const [math] = copied(drawn, budget)
    return typeof math === 'object' && math.tag === 'math' && budget.nodes > 0 ? math : undefined
  } catch {
    return undefined
  }
}

type DrawnNode = {
  type?: string
  text?: string
  attributes?: Record<string, unknown>
  style?: Record<string, unknown>
  classes?: unknown[]
  children?: unknown[]
}

function copied(drawn: unknown, budget: { nodes: number }): (MathElement | string)[] {
  if (typeof drawn !== 'object' || drawn === null || --budget.nodes <= 0) return []
  // Its types say `any`; every field is checked below.
  const node = drawn as DrawnNode
  if (typeof node.text === 'string') return [node.text]
  const children = (node.children ?? []).flatMap((child) => copied(child, budget))
  if (node.type === undefined || !ELEMENTS.has(node.type)) return children
  const className = (node.classes ?? []).filter((name) => OWN_CLASS.test(String(name))).join(' ')
  return [
    {
      tag: node.type,
      attributes: { ...allowed(node.attributes, ATTRIBUTES), ...(className !== '' && { className }) },
      style: allowed(node.style, STYLES),
      children,
    },
  ]
}

function allowed(values: Record<string, unknown> | undefined, names: ReadonlySet<string>): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const [name, value] of Object.entries(values ?? {})) {
    if (names.has(name) && PLAIN_VALUE.test(String(value))) attributes[name] = String(value)
  }
  return attributes
}

/** What temml marks, and components/markdown/math-face/maths.css knows. */
const OWN_CLASS = /^(?:tml-[a-z-]{1,20}|mathscr|upstrike|downstrike|sout)$/
const PLAIN_VALUE = /^[\w #%.,+-]{1,80}$/

const ELEMENTS: ReadonlySet<string> = new Set(
  'math menclose merror mfrac mi mmultiscripts mn mo mover mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext mtr munder munderover none'.split(
    ' ',
  ),
)

const ATTRIBUTES: ReadonlySet<string> = new Set(
  'accent accentunder columnalign columnlines columnspacing columnspan depth dir display displaystyle fence form frame height largeop linebreak linethickness lspace mathbackground mathcolor mathsize mathvariant maxsize minsize movablelimits notation rowlines rowspacing rowspan rspace scriptlevel separator stretchy symmetric voffset width'.split(
    ' ',
  ),
)

const STYLES: ReadonlySet<string> = new Set(
  'border borderBottom borderLeft borderRight borderTop color fontWeight mathDepth padding paddingBottom paddingLeft paddingRight paddingTop textAlign whiteSpace'.split(
    ' ',
  ),
)
