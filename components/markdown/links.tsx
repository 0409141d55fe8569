'use client'

import { ImageOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { isDataImage, webAddress } from '@/components/markdown/addresses'
import { t } from '@/lib/i18n/t'

/** A link out of a model's words: it opens beside the chat, and the other side learns nothing of it. */
export function WebLink({ href, children }: { href: string | undefined; children: ReactNode }) {
  const address = webAddress(href)
  if (!address) return <span>{children}</span>
  return (
    <a href={address.href} target="_blank" rel="noopener noreferrer" title={address.host}>
      {children}
    </a>
  )
}

type ModelImageProps = { src: string | undefined; alt: string | undefined }

/** An image elsewhere would tell its server who reads these words, so it is a link that a person may follow. */
export function ModelImage({ src, alt }: ModelImageProps) {
  const address = webAddress(src)
  if (isDataImage(src)) {
    // biome-ignore lint/performance/noImgElement: its bytes are here already
    return <img src={src} alt={alt || t('Image in the answer')} className="max-h-[32rem] max-w-full rounded-card" />
  }
  return (
    <span className="inline-flex max-w-full items-center gap-1.5 rounded-chip border border-line px-2.5 text-14 text-ink-2">
      <ImageOff aria-hidden="true" className="size-4 shrink-0" strokeWidth={1.5} />
      {address ? (
        <WebLink href={src}>{alt || t('Image on {host}', { host: address.host })}</WebLink>
      ) : (
        <span>{alt || t('Image')}</span>
      )}
    </span>
  )
}
