'use client'

import { Download, Maximize2, ZoomIn, ZoomOut } from 'lucide-react'
import mermaid from 'mermaid'
import { Dialog } from 'radix-ui'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { IconButton } from '@/components/ui/button'
import { CloseButton, Modal } from '@/components/ui/modal'
import { saveFile } from '@/lib/browser/save-file'
import { t } from '@/lib/i18n/t'

const ZOOMS = [0.5, 0.75, 1, 1.5, 2, 3]
const UNZOOMED = 2

/** Shows a diagram as an image, which can neither run nor load anything. */
export function Diagram({ source }: { source: string }) {
  const drawing = useDrawing(source)
  const [zoom, setZoom] = useState(UNZOOMED)
  const [isFull, setIsFull] = useState(false)
  if (drawing === undefined) return <div aria-busy="true" className="skeleton m-4 h-48" />
  if (typeof drawing === 'string') return <Failed source={source} reason={drawing} />
  const by = (step: number) => setZoom(Math.min(ZOOMS.length - 1, Math.max(0, zoom + step)))
  return (
    <div>
      <div className="flex justify-end border-b border-line px-1">
        <IconButton label={t('Zoom out')} disabled={zoom === 0} onClick={() => by(-1)}>
          <ZoomOut aria-hidden="true" />
        </IconButton>
        <IconButton label={t('Zoom in')} disabled={zoom === ZOOMS.length - 1} onClick={() => by(1)}>
          <ZoomIn aria-hidden="true" />
        </IconButton>
        <IconButton label={t('View diagram full screen')} onClick={() => setIsFull(true)}>
          <Maximize2 aria-hidden="true" />
        </IconButton>
        <IconButton
          label={t('Download as SVG')}
          onClick={() => saveFile('diagram.svg', new Blob([drawing.svg], { type: 'image/svg+xml' }))}
        >
          <Download aria-hidden="true" />
        </IconButton>
      </div>
      <DiagramImage drawing={drawing} scale={ZOOMS[zoom] ?? 1} className="max-h-[32rem]" />
      {isFull && <DiagramSheet drawing={drawing} onClose={() => setIsFull(false)} />}
    </div>
  )
}

function Failed({ source, reason }: { source: string; reason: string }) {
  return (
    <>
      <p className="border-b border-line px-4 py-2 text-13 text-ink-2">{reason}</p>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
        tabIndex={0}
        dir="ltr"
        className="thin-scroll overflow-x-auto px-4 py-3 font-mono text-13 leading-5"
      >
        <code>{source}</code>
      </pre>
    </>
  )
}

function useDrawing(source: string): Drawing | string | undefined {
  const look = useLook()
  const [drawn, setDrawn] = useState<{ drawing: Drawing | string; source: string }>()
  useEffect(() => {
    let isGone = false
    drawDiagram(source, look).then(
      (drawing) => !isGone && setDrawn({ drawing, source }),
      () => !isGone && setDrawn({ drawing: t('The diagram couldn’t be rendered. Showing its source.'), source }),
    )
    return () => {
      isGone = true
    }
  }, [source, look])
  return drawn?.source === source ? drawn.drawing : undefined
}

function useLook(): 'light' | 'dark' {
  return useSyncExternalStore(watchLook, currentLook, () => 'light')
}

const DARK = '(prefers-color-scheme: dark)'

function currentLook(): 'light' | 'dark' {
  const { theme } = document.documentElement.dataset
  if (theme === 'light' || theme === 'dark') return theme
  return matchMedia(DARK).matches ? 'dark' : 'light'
}

function watchLook(changed: () => void): () => void {
  const query = matchMedia(DARK)
  const observer = new MutationObserver(changed)
  observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
  query.addEventListener('change', changed)
  return () => {
    observer.disconnect()
    query.removeEventListener('change', changed)
  }
}

const STEP = 1.25
const [MIN_SCALE, MAX_SCALE] = [0.25, 6]

function DiagramSheet({ drawing, onClose }: { drawing: Drawing; onClose: () => void }) {
  const [scale, setScale] = useState(1)
  const by = (factor: number) => setScale(Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale * factor)))
  return (
    <Modal
      onClose={onClose}
      overlay={null}
      onKeyDown={({ key }) => {
        if (key === '+' || key === '=') by(STEP)
        if (key === '-') by(1 / STEP)
      }}
      className="inset-0 z-40 flex flex-col bg-paper"
    >
      <div className="flex items-center justify-end px-3 py-2">
        <Dialog.Title className="flex-1 ps-3 text-14 font-medium">{t('Diagram')}</Dialog.Title>
        <IconButton label={t('Zoom out')} onClick={() => by(1 / STEP)}>
          <ZoomOut aria-hidden="true" />
        </IconButton>
        <IconButton label={t('Zoom in')} onClick={() => by(STEP)}>
          <ZoomIn aria-hidden="true" />
        </IconButton>
        <CloseButton />
      </div>
      <DiagramImage drawing={drawing} scale={scale} className="min-h-0 flex-1" />
    </Modal>
  )
}

type DiagramImageProps = { drawing: Drawing; scale: number; className: string }

function DiagramImage({ drawing, scale, className }: DiagramImageProps) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for forms
    <div
      role="group"
      aria-label={t('Diagram')}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scroll area must be reachable by keyboard
      tabIndex={0}
      className={`thin-scroll flex overflow-auto p-4 ${className}`}
    >
      {/* biome-ignore lint/performance/noImgElement: it was drawn here */}
      <img
        src={drawing.address}
        alt={drawing.text}
        width={drawing.width}
        height={drawing.height}
        className="m-auto h-auto max-w-none shrink-0"
        style={{ width: scale === 1 ? `min(100%, ${drawing.width}px)` : drawing.width * scale }}
      />
    </div>
  )
}

const DIRECTIVE = /%%\{[\s\S]*?\}%%/g
const FRONT_MATTER = /^\s*---[ \t]*\n[\s\S]*?\n---[ \t]*(?:\n|$)/

/** An image by address, a style that loads, an escape that hides one. */
const LOADS =
  /\burl\s*\(|@import|\bimg\s*:|\bimage-set|\\[\da-f]{1,6}|<\s*(?:img|image|script|iframe|object|embed|link|style)\b/i

const CLICK = /^[ \t]*(?:click|links?|callback)[ \t][^\n]*$/gim

type Drawing = { svg: string; address: string; text: string; width: number; height: number }

const MAX_SOURCE_CHARS = 20_000
const MAX_EDGES = 400
const FONT = 'ui-sans-serif, system-ui, sans-serif'

let last: Promise<unknown> = Promise.resolve()
let count = 0

/**
 * Draws a diagram in the page's colours, one after the other: the library has one state. Returns the drawing, or a
 * message why there is none.
 */
function drawDiagram(source: string, look: 'light' | 'dark'): Promise<Drawing | string> {
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
