'use client'

import { DocumentChip } from '@/components/chat/media/document-chip'
import { ImageGrid } from '@/components/chat/media/image-grid'
import { Player } from '@/components/chat/media/player'
import { Guard } from '@/components/ui/guard'
import type { Attachment } from '@/lib/browser/storage/records'
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

/** In the place of a file whose record cannot be shown. */
const Broken = () => <p className="text-13 text-ink-3">{t('This file can’t be shown.')}</p>
