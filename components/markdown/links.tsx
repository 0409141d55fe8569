'use client'

import { ImageOff } from 'lucide-react'
import type { ReactNode } from 'react'
import { t } from '@/lib/i18n/t'

/** Links to the web from a model's text, without a referrer or an opener. */
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

/** Shows an image elsewhere as a link: loading it would tell its server who reads the text. */
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

function webAddress(address: string | undefined): URL | undefined {
  if (!address || !URL.canParse(address)) return undefined
  const url = new URL(address)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  return isWeb && url.username === '' && url.password === '' ? url : undefined
}

const MAX_DATA_IMAGE_CHARS = 2_800_000
const DATA_IMAGE = /^data:image\/(?:png|jpeg|webp|gif);base64,[A-Za-z\d+/]+={0,2}$/

/** True for kinds of image that cannot hold anything but pixels. */
function isDataImage(address: string | undefined): boolean {
  return address !== undefined && address.length <= MAX_DATA_IMAGE_CHARS && DATA_IMAGE.test(address)
}
