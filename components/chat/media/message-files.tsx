'use client'

import { DocumentChip } from '@/components/chat/media/document-chip'
import { ImageGrid } from '@/components/chat/media/image-grid'
import { Player } from '@/components/chat/media/player'
import type { Attachment } from '@/lib/client/history/records'
import { t } from '@/lib/i18n/t'

type MessageFilesProps = {
  attachments: Attachment[]
  /** Those of an answer stand where it begins; those of a question where it ends. */
  side: 'start' | 'end'
}

/** What a message brings along: pictures to look at, sounds and films to play, documents to take back out. */
export function MessageFiles({ attachments, side }: MessageFilesProps) {
  const images = attachments.filter(({ kind }) => kind === 'image')
  const played = attachments.filter(({ kind }) => kind === 'audio' || kind === 'video')
  const documents = attachments.filter(({ kind }) => kind === 'document')
  if (attachments.length === 0) return null
  return (
    <div className={`flex w-full max-w-[85%] flex-col gap-2 ${side === 'end' ? 'items-end' : 'items-start pb-2'}`}>
      {images.length > 0 && <ImageGrid images={images} side={side} />}
      {played.map((attachment) => (
        <Player key={attachment.id} attachment={attachment} />
      ))}
      {documents.length > 0 && (
        <ul aria-label={t('Documents')} className={`flex flex-wrap gap-2 ${side === 'end' ? 'justify-end' : ''}`}>
          {documents.map((attachment) => (
            <DocumentChip key={attachment.id} attachment={attachment} />
          ))}
        </ul>
      )}
    </div>
  )
}
