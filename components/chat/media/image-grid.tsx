'use client'

import dynamic from 'next/dynamic'
import { useCallback, useRef, useState } from 'react'
import { safeMediaType, safeName } from '@/components/chat/media/file-messages'
import { MissingBytes } from '@/components/common/missing-bytes'
import { Slot } from '@/components/common/slots'
import { useBlob, useObjectUrl } from '@/components/common/use-blob'
import type { Attachment } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

const Lightbox = dynamic(() => import('@/components/common/image-lightbox').then((module) => module.ImageLightbox), {
  ssr: false,
})

/** More would be smaller than a fingertip; the rest is in the lightbox. */
const MOST_SHOWN = 10

/** By then the lightbox is gone, and the page behind it takes the focus again. */
const FOCUS_AFTER_MS = 100

/** One picture as it is, several as a grid of squares; each opens all of them large. */
export function ImageGrid({ images, side }: { images: Attachment[]; side: 'start' | 'end' }) {
  const [openedId, setOpenedId] = useState<string>()
  const tiles = useRef<HTMLUListElement>(null)
  // The addresses belong to the tiles; the lightbox borrows those that are there when it opens.
  const addresses = useRef(new Map<string, string>())
  const keep = useCallback((id: string, address: string | undefined) => {
    if (address) addresses.current.set(id, address)
    else addresses.current.delete(id)
  }, [])
  const shown = images.slice(0, MOST_SHOWN)
  const columns = shown.length === 1 ? '' : shown.length === 2 || shown.length === 4 ? 'grid-cols-2' : 'grid-cols-3'
  return (
    <>
      <ul
        ref={tiles}
        aria-label={t('Images')}
        className={`grid w-full max-w-96 gap-1.5 ${side === 'end' ? 'justify-items-end' : 'justify-items-start'} ${columns}`}
      >
        {shown.map((image) => (
          <Tile key={image.id} image={image} isAlone={shown.length === 1} onAddress={keep} onOpen={setOpenedId} />
        ))}
      </ul>
      {openedId !== undefined && (
        <Lightbox
          slides={shown.flatMap((image) => {
            const src = addresses.current.get(image.id)
            return src ? [{ id: image.id, src, alt: safeName(image.name) }] : []
          })}
          openedId={openedId}
          actions={(id) => {
            const image = images.find((one) => one.id === id)
            return image && <Slot part="ToStudio" image={image} onDone={() => setOpenedId(undefined)} />
          }}
          onClose={() => {
            const opener = tiles.current?.querySelector<HTMLElement>(`[data-image="${CSS.escape(openedId)}"]`)
            setOpenedId(undefined)
            setTimeout(() => opener?.focus(), FOCUS_AFTER_MS)
          }}
        />
      )}
    </>
  )
}

type TileProps = {
  image: Attachment
  isAlone: boolean
  onAddress: (id: string, address: string | undefined) => void
  onOpen: (id: string) => void
}

function Tile({ image, isAlone, onAddress, onOpen }: TileProps) {
  const blob = useBlob(image.hash)
  const address = useObjectUrl(blob, safeMediaType(image))
  const name = safeName(image.name)
  const shape = isAlone ? 'max-h-80 w-auto max-w-full' : 'aspect-square w-full'
  if (blob === null) {
    return (
      <li className={isAlone ? '' : 'w-full'}>
        <MissingBytes name={name} />
      </li>
    )
  }
  return (
    <li className={isAlone ? 'max-w-full' : 'w-full'}>
      <button
        type="button"
        data-image={image.id}
        aria-label={t('Open image {name}', { name })}
        onClick={() => onOpen(image.id)}
        className={`block max-w-full overflow-hidden rounded-card border border-line bg-sunken hover:border-control ${isAlone ? '' : 'w-full'}`}
      >
        {address ? (
          // biome-ignore lint/performance/noImgElement: its bytes are in this browser
          <img
            ref={(picture) => {
              onAddress(image.id, picture ? address : undefined)
            }}
            src={address}
            alt={name}
            width={image.width}
            height={image.height}
            decoding="async"
            className={`object-cover ${shape}`}
          />
        ) : (
          <span
            className={`skeleton block ${isAlone ? 'h-48 w-64' : shape}`}
            style={
              isAlone && image.width && image.height ? { aspectRatio: `${image.width} / ${image.height}` } : undefined
            }
          />
        )}
      </button>
    </li>
  )
}
