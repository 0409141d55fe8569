'use client'

import { Download, Maximize2, ZoomIn, ZoomOut } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { DiagramPicture } from '@/components/markdown/diagram-picture'
import { DiagramSheet } from '@/components/markdown/diagram-sheet'
import { type Drawing, drawDiagram } from '@/components/markdown/diagrams/draw'
import { IconButton } from '@/components/ui/button'
import { saveFile } from '@/lib/browser/save-file'
import { t } from '@/lib/i18n/t'

const ZOOMS = [0.5, 0.75, 1, 1.5, 2, 3]
const UNZOOMED = 2

/** A diagram drawn from its source. It is shown as a picture, which can neither run nor load anything. */
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
      <DiagramPicture drawing={drawing} scale={ZOOMS[zoom] ?? 1} className="max-h-[32rem]" />
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

/** The drawing in the page's colours, or why there is none. */
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
