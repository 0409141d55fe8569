'use client'

import { Download, Maximize2, ZoomIn, ZoomOut } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useEffect, useState, useSyncExternalStore } from 'react'
import { type Drawing, drawDiagram } from '@/components/markdown/diagrams/draw'
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
