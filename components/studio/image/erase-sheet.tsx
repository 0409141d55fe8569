'use client'

import { Undo2 } from 'lucide-react'
import { type KeyboardEvent, type PointerEvent, useEffect, useId, useRef, useState } from 'react'
import { CHECKERED } from '@/components/studio/parts/media'
import { keepFile, loadFile } from '@/components/studio/store'
import { announce } from '@/components/ui/announcer'
import { Button, IconButton } from '@/components/ui/button'
import { WideSheet } from '@/components/ui/modal'
import { Alert } from '@/components/ui/notice'
import type { CreationFile } from '@/lib/browser/storage/generations'
import { MAX_FILE_BYTES } from '@/lib/contract/limits'
import { t } from '@/lib/i18n/t'

type EraseSheetProps = { file: CreationFile; onErased: (file: CreationFile) => void; onClose: () => void }

// Percent of the image's longer side.
const BRUSH = { least: 1, most: 25, usual: 7 }
// Steps of an arrow key, in brushes.
const KEY_STEP = 0.5

export function EraseSheet({ file, onErased, onClose }: EraseSheetProps) {
  const [image, setImage] = useState<ImageBitmap | null>()
  const [strokes, setStrokes] = useState<readonly Stroke[]>([])
  const [brush, setBrush] = useState(BRUSH.usual)
  const [fault, setFault] = useState<string>()
  const id = useId()
  useEffect(() => {
    let made: ImageBitmap | undefined
    let isGone = false
    loadFile(file)
      .then((blob) => (blob ? createImageBitmap(blob) : null))
      .then(
        (bitmap) => {
          made = bitmap ?? undefined
          if (isGone) bitmap?.close()
          else setImage(bitmap)
        },
        () => !isGone && setImage(null),
      )
    return () => {
      isGone = true
      made?.close()
    }
  }, [file])
  const undo = () => setStrokes(strokes.slice(0, -1))
  const done = async () => {
    if (!image) return
    try {
      onErased(await erasedFile(image, strokes, file))
    } catch {
      setFault(t('Could not save the image. This browser may be out of storage.'))
    }
  }
  return (
    <WideSheet
      title={t('Erase object')}
      onClose={onClose}
      onInteractOutside={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key !== 'z' || !(event.ctrlKey || event.metaKey)) return
        event.preventDefault()
        undo()
      }}
    >
      <div className="flex min-h-0 flex-1 items-center justify-center px-4">
        {image === null ? (
          <p className="text-ink-2">{t('This browser cannot open the image, so erasing is unavailable.')}</p>
        ) : image ? (
          <Board image={image} brush={brush / 100} strokes={strokes} onStrokes={setStrokes} />
        ) : (
          <span className="skeleton size-64 rounded-card" />
        )}
      </div>
      <Alert className="shrink-0 px-4 pt-3">{fault}</Alert>
      <div className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-2 p-4">
        <label htmlFor={id} className="flex min-w-40 flex-1 items-center gap-3 text-13 text-ink-2">
          {t('Brush')}
          <input
            id={id}
            type="range"
            min={BRUSH.least}
            max={BRUSH.most}
            value={brush}
            onChange={(event) => setBrush(Number(event.target.value))}
            className="h-9 min-w-0 flex-1 pointer-coarse:h-11"
          />
        </label>
        <span className="flex gap-2">
          <IconButton label={t('Undo (Ctrl+Z)')} disabled={strokes.length === 0} onClick={undo}>
            <Undo2 aria-hidden="true" />
          </IconButton>
          <Button disabled={strokes.length === 0} onClick={() => setStrokes([])}>
            {t('Start over')}
          </Button>
          <Button kind="primary" disabled={strokes.length === 0} onClick={() => void done()}>
            {t('Done')}
          </Button>
        </span>
      </div>
    </WideSheet>
  )
}

type BoardProps = {
  image: ImageBitmap
  /** Share of the image's longer side. */
  brush: number
  strokes: readonly Stroke[]
  onStrokes: (strokes: readonly Stroke[]) => void
}

// Arrow keys move the brush, Space erases.
function Board({ image, brush, strokes, onStrokes }: BoardProps) {
  const canvas = useRef<HTMLCanvasElement>(null)
  const [at, setAt] = useState<Dot>()
  const [drawn, setDrawn] = useState<Stroke>()
  const size = { width: image.width, height: image.height }
  const width = brush * Math.max(size.width, size.height)
  useEffect(() => {
    const context = canvas.current?.getContext('2d')
    if (context) drawErased(context, image, drawn ? [...strokes, drawn] : strokes)
  }, [image, strokes, drawn])

  const dotOf = ({ clientX, clientY, currentTarget }: PointerEvent): Dot => {
    const box = currentTarget.getBoundingClientRect()
    return { x: ((clientX - box.left) / box.width) * size.width, y: ((clientY - box.top) / box.height) * size.height }
  }
  const onMove = (event: PointerEvent) => {
    setAt(dotOf(event))
    if (drawn) setDrawn({ ...drawn, dots: [...drawn.dots, dotOf(event)] })
  }
  const finish = () => {
    if (drawn) onStrokes([...strokes, drawn])
    setDrawn(undefined)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const here = at ?? { x: size.width / 2, y: size.height / 2 }
    const step = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key]
    if (step) {
      event.preventDefault()
      const clamp = (value: number, max: number) => Math.max(0, Math.min(max, value))
      const [across = 0, down = 0] = step
      setAt({
        x: clamp(here.x + across * width * KEY_STEP, size.width),
        y: clamp(here.y + down * width * KEY_STEP, size.height),
      })
    } else if (event.key === ' ') {
      event.preventDefault()
      setAt(here)
      onStrokes([...strokes, { width, dots: [here] }])
      announce(t('Erased'))
    }
  }
  return (
    <span className="relative inline-flex max-h-full max-w-full" dir="ltr">
      {/* biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it is drawn on, by keys too */}
      <canvas
        ref={canvas}
        width={size.width}
        height={size.height}
        tabIndex={0}
        role="application"
        aria-label={t('Image. Arrow keys move the brush, Space erases.')}
        onKeyDown={onKeyDown}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          setDrawn({ width, dots: [dotOf(event)] })
        }}
        onPointerMove={onMove}
        onPointerUp={finish}
        onPointerCancel={finish}
        onPointerLeave={() => !drawn && setAt(undefined)}
        className={`max-h-[calc(100dvh-12rem)] max-w-full cursor-none touch-none rounded-card md:max-h-[calc(100dvh-14rem)] ${CHECKERED}`}
      />
      {at && (
        <span
          aria-hidden="true"
          className="pointer-events-none absolute -translate-1/2 rounded-chip border-2 border-white outline-1 outline-black"
          style={{
            left: `${(at.x / size.width) * 100}%`,
            top: `${(at.y / size.height) * 100}%`,
            width: `${(width / size.width) * 100}%`,
            aspectRatio: '1',
          }}
        />
      )}
    </span>
  )
}

// Pixels.
type Dot = { x: number; y: number }
// `width` in pixels.
type Stroke = { width: number; dots: readonly Dot[] }

const WEBP_QUALITY = 0.95
function drawErased(
  context: CanvasRenderingContext2D | OffscreenCanvasRenderingContext2D,
  image: ImageBitmap,
  strokes: readonly Stroke[],
): void {
  context.globalCompositeOperation = 'copy'
  context.drawImage(image, 0, 0)
  context.globalCompositeOperation = 'destination-out'
  context.lineCap = 'round'
  context.lineJoin = 'round'
  for (const { width, dots } of strokes) {
    const [first, ...rest] = dots
    if (!first) continue
    // A line that goes nowhere is not drawn: where it begins there is a dot.
    context.beginPath()
    context.arc(first.x, first.y, width / 2, 0, 2 * Math.PI)
    context.fill()
    context.lineWidth = width
    context.beginPath()
    context.moveTo(first.x, first.y)
    for (const { x, y } of rest) context.lineTo(x, y)
    context.stroke()
  }
  context.globalCompositeOperation = 'source-over'
}

/**
 * Writes PNG, or WebP where PNG would be more than the service takes. @throws what the browser throws that cannot write
 * or keep it.
 */
async function erasedFile(
  image: ImageBitmap,
  strokes: readonly Stroke[],
  { name }: CreationFile,
): Promise<CreationFile> {
  const { width, height } = image
  const canvas = new OffscreenCanvas(width, height)
  const context = canvas.getContext('2d')
  if (!context) throw new DOMException('No canvas', 'NotSupportedError')
  drawErased(context, image, strokes)
  const png = await canvas.convertToBlob({ type: 'image/png' })
  const blob =
    png.size <= MAX_FILE_BYTES ? png : await canvas.convertToBlob({ type: 'image/webp', quality: WEBP_QUALITY })
  return await keepFile(blob, { name, width, height })
}
