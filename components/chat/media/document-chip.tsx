'use client'

import { Download, FileText } from 'lucide-react'
import { safeName, sizeWords } from '@/components/chat/media/file-messages'
import { MissingBytes } from '@/components/common/missing-bytes'
import { useBlob } from '@/components/common/use-blob'
import { IconButton } from '@/components/ui/button'
import { saveFile } from '@/lib/browser/save-file'
import type { Attachment } from '@/lib/browser/storage/records'
import { plural, t } from '@/lib/i18n/t'

/** A document of a question: its name, its size, and a way to get it back. */
export function DocumentChip({ attachment }: { attachment: Attachment }) {
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
            ? sizeWords(attachment.size)
            : t('{pages}, {size}', { pages: pageWords(pages), size: sizeWords(attachment.size) })}
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

const pageWords = (pages: number): string => plural(pages, { one: '{count} page', other: '{count} pages' })
