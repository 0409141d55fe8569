'use client'

import { AudioLines, Film } from 'lucide-react'
import { useState } from 'react'
import { lengthWords, safeMediaType, safeName, sizeWords } from '@/components/chat/media/file-messages'
import { MissingBytes } from '@/components/common/missing-bytes'
import { useBlob, useObjectUrl } from '@/components/common/use-blob'
import type { Attachment } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

/** A sound or a film, played by the browser itself. */
export function Player({ attachment }: { attachment: Attachment }) {
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
          <span className="shrink-0 font-mono text-12 text-ink-3">{lengthWords(lengthMs)}</span>
        )}
        <span className="shrink-0 text-12 text-ink-3">{sizeWords(size)}</span>
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
