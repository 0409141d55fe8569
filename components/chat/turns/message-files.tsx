'use client'

import { AudioLines, Download, FileText, Film } from 'lucide-react'
import dynamic from 'next/dynamic'
import { useCallback, useRef, useState } from 'react'
import { Slot } from '@/components/common/slots'
import { MissingBytes, useBlob, useObjectUrl } from '@/components/common/stored-bytes'
import { IconButton } from '@/components/ui/button'
import { Guard } from '@/components/ui/guard'
import { formatLength, formatSize } from '@/lib/browser/format/numbers'
import { saveFile } from '@/lib/browser/save-file'
import type { Attachment } from '@/lib/browser/storage/records'
import { plural, t } from '@/lib/i18n/t'

type MessageFilesProps = { attachments: Attachment[]; side: 'start' | 'end' }

export function MessageFiles({ attachments, side }: MessageFilesProps) {
  const images = attachments.filter(({ kind }) => kind === 'image')
  const played = attachments.filter(({ kind }) => kind === 'audio' || kind === 'video')
  const documents = attachments.filter(({ kind }) => kind === 'document')
  if (attachments.length === 0) return null
  return (
    <div className={`flex w-full max-w-[85%] flex-col gap-2 ${side === 'end' ? 'items-end' : 'items-start pb-2'}`}>
      {images.length > 0 && (
        <Guard instead={<Broken />}>
          <ImageGrid images={images} side={side} />
        </Guard>
      )}
      {played.map((attachment) => (
        <Guard key={attachment.id} instead={<Broken />}>
          <Player attachment={attachment} />
        </Guard>
      ))}
      {documents.length > 0 && (
        <ul aria-label={t('Documents')} className={`flex flex-wrap gap-2 ${side === 'end' ? 'justify-end' : ''}`}>
          {documents.map((attachment) => (
            <Guard
              key={attachment.id}
              instead={
                <li>
                  <Broken />
                </li>
              }
            >
              <DocumentChip attachment={attachment} />
            </Guard>
          ))}
        </ul>
      )}
    </div>
  )
}

const Broken = () => <p className="text-13 text-ink-3">{t('This file can’t be shown.')}</p>

function DocumentChip({ attachment }: { attachment: Attachment }) {
  const blob = useBlob(attachment.hash)
  const name = safeName(attachment.name)
  if (blob === null) {
    return (
      <li>
        <MissingBytes name={name} />
      </li>
    )
  }
  const { pages } = attachment
  return (
    <li className="flex max-w-72 items-center gap-2 rounded-card border border-line bg-surface ps-3 pe-1 text-13">
      <FileText aria-hidden="true" className="size-5 shrink-0 text-ink-3" strokeWidth={1.5} />
      <span className="min-w-0 py-2">
        <bdi className="block truncate font-medium">{name}</bdi>
        <span className="text-12 text-ink-3">
          {pages === undefined
            ? formatSize(attachment.size)
            : t('{pages}, {size}', { pages: pageText(pages), size: formatSize(attachment.size) })}
        </span>
      </span>
      <IconButton
        label={t('Download {name}', { name })}
        disabled={!blob}
        onClick={() => blob && saveFile(name, blob.slice(0, blob.size, 'application/octet-stream'))}
      >
        <Download aria-hidden="true" />
      </IconButton>
    </li>
  )
}

const pageText = (pages: number): string => plural(pages, { one: '{count} page', other: '{count} pages' })

function Player({ attachment }: { attachment: Attachment }) {
  const { kind, size } = attachment
  const blob = useBlob(attachment.hash)
  const address = useObjectUrl(blob, safeMediaType(attachment))
  const [lengthMs, setLengthMs] = useState(attachment.durationMs)
  const [isUnplayable, setIsUnplayable] = useState(false)
  const name = safeName(attachment.name)
  if (blob === null) return <MissingBytes name={name} />
  const Icon = kind === 'audio' ? AudioLines : Film
  const common = {
    src: address,
    controls: true,
    preload: 'metadata',
    'aria-label': name,
    onError: () => setIsUnplayable(true),
    onLoadedMetadata: ({ currentTarget }: { currentTarget: HTMLMediaElement }) => {
      if (Number.isFinite(currentTarget.duration)) setLengthMs(currentTarget.duration * 1000)
    },
  } as const
  return (
    <figure className="w-full max-w-96 overflow-hidden rounded-card border border-line bg-surface">
      {kind === 'video' && address && !isUnplayable && (
        <video {...common} playsInline className="block max-h-80 w-full bg-sunken" />
      )}
      <figcaption className="flex items-center gap-2 px-3 pt-2 pb-2 text-13 text-ink-2">
        <Icon aria-hidden="true" className="size-4 shrink-0 text-ink-3" strokeWidth={1.5} />
        <bdi className="min-w-0 flex-1 truncate">{name}</bdi>
        {lengthMs !== undefined && (
          <span className="shrink-0 font-mono text-12 text-ink-3">{formatLength(lengthMs)}</span>
        )}
        <span className="shrink-0 text-12 text-ink-3">{formatSize(size)}</span>
      </figcaption>
      {kind === 'audio' && !isUnplayable && (
        <div className="px-2 pb-2">
          {address ? <audio {...common} className="block h-10 w-full" /> : <div className="skeleton h-10" />}
        </div>
      )}
      {isUnplayable && <p className="px-3 pb-2 text-13 text-ink-3">{t('This browser cannot play this file.')}</p>}
    </figure>
  )
}

const Lightbox = dynamic(() => import('@/components/common/image-lightbox').then((module) => module.ImageLightbox), {
  ssr: false,
})

/** More would be smaller than a fingertip; the rest is in the lightbox. */
const MAX_SHOWN_IMAGES = 10

/** By then the lightbox is gone, and the page behind it takes the focus again. */
const FOCUS_AFTER_MS = 100

function ImageGrid({ images, side }: { images: Attachment[]; side: 'start' | 'end' }) {
  const [openedId, setOpenedId] = useState<string>()
  const tiles = useRef<HTMLUListElement>(null)
  // The addresses belong to the tiles; the lightbox borrows those that are there when it opens.
  const addresses = useRef(new Map<string, string>())
  const keep = useCallback((id: string, address: string | undefined) => {
    if (address) addresses.current.set(id, address)
    else addresses.current.delete(id)
  }, [])
  const shown = images.slice(0, MAX_SHOWN_IMAGES)
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
            ref={(imageFile) => {
              onAddress(image.id, imageFile ? address : undefined)
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

const IMAGE_TYPES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/webp', 'image/gif', 'image/avif'])

/** Returns a media type that is safe in an object URL: a page or a scripted drawing would run with our origin. */
export function safeMediaType({ kind, mediaType }: Attachment): string {
  if (kind === 'image') return IMAGE_TYPES.has(mediaType) ? mediaType : 'image/png'
  if ((kind === 'audio' || kind === 'video') && new RegExp(`^${kind}/[\\w.+-]{1,60}$`).test(mediaType)) return mediaType
  return 'application/octet-stream'
}

// Signs that turn the direction of what follows, and what is not shown at all: a name must not hide its ending.
const HIDDEN = /[\p{Cc}\p{Cf}\u2028\u2029]/gu

export const safeName = (name: string): string => name.replace(HIDDEN, '').replace(/[\\/]/g, '_').trim() || 'file'
