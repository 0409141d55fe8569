'use client'

import { useEffect, useState } from 'react'
import { loadFile } from '@/components/studio/store'
import type { CreationFile } from '@/lib/browser/storage/generations'

export const CHECKERED =
  'bg-[repeating-conic-gradient(var(--color-sunken)_0_25%,var(--color-line)_0_50%)] bg-size-[16px_16px]'

export type FileSource = { blob: Blob; url: string }

/**
 * Returns the bytes of a file and a URL of them that lasts as long as the component; `null` where the bytes are gone.
 */
export function useFile(file: Pick<CreationFile, 'hash' | 'mediaType'> | undefined): FileSource | null | undefined {
  const { hash, mediaType } = file ?? {}
  const [found, setFound] = useState<{ hash: string; source: FileSource | null }>()
  useEffect(() => {
    if (hash === undefined || mediaType === undefined) return
    let url: string | undefined
    let isGone = false
    const show = (blob: Blob | undefined) => {
      if (isGone) return
      url = blob && URL.createObjectURL(blob)
      setFound({ hash, source: blob && url ? { blob, url } : null })
    }
    loadPlayable({ hash, mediaType }).then(show, () => show(undefined))
    return () => {
      isGone = true
      setFound(undefined)
      if (url) URL.revokeObjectURL(url)
    }
  }, [hash, mediaType])
  return found?.hash === hash ? found?.source : undefined
}

// Browsers do not play samples without a header.
async function loadPlayable(file: Pick<CreationFile, 'hash' | 'mediaType'>): Promise<Blob | undefined> {
  const bytes = await loadFile(file)
  if (!bytes || file.mediaType !== 'audio/pcm') return bytes
  const { wavOfPcm } = await import('@/components/studio/audio/wav')
  return wavOfPcm(bytes)
}

export function useFileUrl(file: Parameters<typeof useFile>[0]): string | null | undefined {
  const source = useFile(file)
  return source === null ? null : source?.url
}

type PlaceholderProps = { input: CreationFile | undefined; ratio: string }

export function Placeholder({ input, ratio }: PlaceholderProps) {
  const url = useFileUrl(input)
  return (
    <div
      aria-hidden="true"
      className="relative max-h-[34rem] w-full overflow-hidden bg-sunken"
      style={{ aspectRatio: ratio }}
    >
      {url && (
        // biome-ignore lint/performance/noImgElement: its bytes are in this browser
        <img src={url} alt="" className="size-full scale-105 object-cover opacity-50 blur-md" />
      )}
      <span className={`skeleton absolute inset-0 ${url ? 'opacity-40' : ''}`} />
    </div>
  )
}
