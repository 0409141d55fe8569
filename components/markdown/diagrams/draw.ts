import mermaid from 'mermaid'
import { t } from '@/lib/i18n/t'

const DIRECTIVE = /%%\{[\s\S]*?\}%%/g
const FRONT_MATTER = /^\s*---[ \t]*\n[\s\S]*?\n---[ \t]*(?:\n|$)/

/** An image by address, a style that loads, an escape that hides one. */
const LOADS =
  /\burl\s*\(|@import|\bimg\s*:|\bimage-set|\\[\da-f]{1,6}|<\s*(?:img|image|script|iframe|object|embed|link|style)\b/i

const CLICK = /^[ \t]*(?:click|links?|callback)[ \t][^\n]*$/gim

export type Drawing = { svg: string; address: string; text: string; width: number; height: number }

const MAX_SOURCE_CHARS = 20_000
const MAX_EDGES = 400
const FONT = 'ui-sans-serif, system-ui, sans-serif'

let last: Promise<unknown> = Promise.resolve()
let count = 0

/**
 * Draws a diagram in the page's colours, one after the other: the library has one state. Returns the drawing, or a
 * message why there is none.
 */
export function drawDiagram(source: string, look: 'light' | 'dark'): Promise<Drawing | string> {
  const drawn = last.then(() => draw(source, look))
  last = drawn.catch(() => undefined)
  return drawn
}

async function draw(source: string, look: 'light' | 'dark'): Promise<Drawing | string> {
  if (source.length > MAX_SOURCE_CHARS) return t('This diagram is too long to render. Showing its source.')
  const plain = plainSource(source)
  if (plain === undefined) {
    return t('This diagram loads external content, which is blocked. Showing its source.')
  }
  mermaid.initialize({
    startOnLoad: false,
    securityLevel: 'strict',
    suppressErrorRendering: true,
    // Labels as text of the picture: HTML in it would not survive being one.
    htmlLabels: false,
    flowchart: { htmlLabels: false },
    maxTextSize: MAX_SOURCE_CHARS,
    maxEdges: MAX_EDGES,
    theme: 'base',
    darkMode: look === 'dark',
    fontFamily: FONT,
    themeVariables: pageColours(),
  })
  count += 1
  const id = `diagram-${count}`
  try {
    const { svg } = await mermaid.render(id, plain)
    const clean = cleanSvg(svg, new DOMParser(), new XMLSerializer())
    if (!clean) return t('The diagram couldn’t be rendered. Showing its source.')
    const kind = /^\s*(\w+)/.exec(plain)?.[1] ?? ''
    return {
      ...clean,
      address: `data:image/svg+xml;charset=utf-8,${encodeURIComponent(clean.svg)}`,
      text: t('Diagram ({kind})', { kind }),
    }
  } catch {
    return t('This diagram has a syntax error. Showing its source.')
  } finally {
    // What it measured with, left behind after a fault.
    for (const left of [id, `d${id}`, `i${id}`]) document.getElementById(left)?.remove()
  }
}

function pageColours() {
  const probe = document.createElement('span')
  document.body.append(probe)
  const colour = (name: string) => {
    probe.style.color = `var(--color-${name})`
    return getComputedStyle(probe).color
  }
  const [paper, surface, bubble, line, control] = ['paper', 'surface', 'bubble', 'line', 'control'].map(colour)
  const [ink, quiet, accent, soft] = ['ink', 'ink-2', 'accent', 'accent-soft'].map(colour)
  probe.remove()
  return {
    background: paper,
    primaryColor: soft,
    primaryTextColor: ink,
    primaryBorderColor: accent,
    secondaryColor: bubble,
    secondaryTextColor: ink,
    secondaryBorderColor: control,
    tertiaryColor: surface,
    tertiaryTextColor: ink,
    tertiaryBorderColor: line,
    lineColor: quiet,
    textColor: ink,
    mainBkg: soft,
    nodeBorder: accent,
    clusterBkg: surface,
    clusterBorder: control,
    titleColor: ink,
    edgeLabelBackground: surface,
    noteBkgColor: bubble,
    noteTextColor: ink,
    noteBorderColor: control,
    actorBkg: soft,
    actorBorder: accent,
    actorTextColor: ink,
    actorLineColor: control,
    signalColor: quiet,
    signalTextColor: ink,
    labelBoxBkgColor: surface,
    labelBoxBorderColor: control,
    labelTextColor: ink,
    loopTextColor: ink,
    fontFamily: FONT,
    fontSize: '14px',
  }
}

/** Removes the settings of a diagram; `undefined` when it wants to load something. */
export function plainSource(source: string): string | undefined {
  const plain = source.replace(DIRECTIVE, '').replace(FRONT_MATTER, '').replace(CLICK, '')
  return LOADS.test(plain) ? undefined : plain
}

const ELEMENTS: ReadonlySet<string> = new Set(
  (
    'svg g path rect circle ellipse line polyline polygon text tspan defs marker style title desc clipPath ' +
    'linearGradient radialGradient stop pattern mask symbol filter feDropShadow feGaussianBlur feOffset feFlood ' +
    'feComposite feMerge feMergeNode textPath'
  ).split(' '),
)

const ATTRIBUTES =
  /^(?:aria-[a-z]+|class|clip-path|clip-rule|cx|cy|d|dominant-baseline|dx|dy|fill|fill-opacity|fill-rule|filter|flood-[a-z]+|font-[a-z]+|gradient[A-Za-z]+|height|id|in|in2|marker-[a-z]+|markerHeight|markerUnits|markerWidth|mask|offset|opacity|operator|orient|pathLength|pattern[A-Za-z]+|points|preserveAspectRatio|r|refX|refY|role|rx|ry|spreadMethod|stdDeviation|stop-[a-z]+|stroke|stroke-[a-z]+|style|text-anchor|text-decoration|transform|transform-origin|viewBox|vector-effect|visibility|width|x|x1|x2|xml:space|y|y1|y2)$/

/** `url(#…)` points into the drawing; anything else would point out of it. */
const POINTS_OUT = /url\s*\(\s*(?!["']?#)|@import|image-set|expression|javascript:|\\[\da-f]/i

const MAX_SIDE = 20_000

type Clean = { svg: string; width: number; height: number }

/**
 * Cleans a drawing of all that runs, links or loads, so that it is safe to be opened as a file, too; `undefined` when
 * it is no drawing.
 */
export function cleanSvg(svg: string, parser: DOMParser, serializer: XMLSerializer): Clean | undefined {
  // A browser that reads HTML writes it back as such; a drawing is XML.
  const { documentElement: root } = parser.parseFromString(svg.replace(/<br\s*>/gi, '<br/>'), 'image/svg+xml')
  if (root?.nodeName !== 'svg') return undefined
  cleanElement(root)
  const [, , width = 0, height = 0] = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number)
  if (!(width > 0 && height > 0 && width < MAX_SIDE && height < MAX_SIDE)) return undefined
  root.removeAttribute('style')
  root.setAttribute('width', String(Math.ceil(width)))
  root.setAttribute('height', String(Math.ceil(height)))
  return { svg: serializer.serializeToString(root), width: Math.ceil(width), height: Math.ceil(height) }
}

function cleanElement(element: Element): void {
  for (const { name, value } of Array.from(element.attributes)) {
    const isNamespace = name === 'xmlns'
    if (!isNamespace && (!ATTRIBUTES.test(name) || POINTS_OUT.test(value))) element.removeAttribute(name)
  }
  for (const child of Array.from(element.children)) {
    const isKnown =
      ELEMENTS.has(child.nodeName) && !(child.nodeName === 'style' && POINTS_OUT.test(child.textContent ?? ''))
    if (isKnown) cleanElement(child)
    else child.remove()
  }
}
