'use client'

import { Pencil } from 'lucide-react'
import { fillImageDraft } from '@/components/studio/image/draft'
import { keepFile } from '@/components/studio/store'
import { showToast } from '@/components/ui/toast'
import { goTo } from '@/lib/browser/commands'
import { loadBlob } from '@/lib/browser/storage/blobs'
import type { Attachment } from '@/lib/browser/storage/records'
import { t } from '@/lib/i18n/t'

/** Takes an image of a chat's lightbox to the studio. */
export function ToStudio({ image, onDone }: { image: Attachment; onDone: () => void }) {
  const go = async () => {
    const blob = await loadBlob(image.hash)
    if (!blob) return showToast({ text: t('This file is no longer on this device.') })
    const { name, mediaType, width, height } = image
    // Kept anew: those of a temporary chat are gone with the page.
    const size = width !== undefined && height !== undefined ? { width, height } : {}
    const file = await keepFile(blob, { name, mediaType, ...size })
    onDone()
    fillImageDraft({ task: 'edit', inputs: [file] })
    goTo('/studio')
  }
  return (
    <button
      type="button"
      aria-label={t('Edit in Studio')}
      title={t('Edit in Studio')}
      onClick={() => void go()}
      className="yarl__button"
    >
      <Pencil aria-hidden="true" />
    </button>
  )
}
