/** Elements that a drawing is made of. */
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
 * A drawing with nothing in it that runs, links or loads, safe to be opened as a file too.
 *
 * @returns `undefined` when it is no drawing at all.
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
