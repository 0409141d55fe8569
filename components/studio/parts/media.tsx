'use client'

import { useLoaded, useObjectUrl } from '@/components/common/stored-bytes'
import { loadFile } from '@/components/studio/store'
import type { CreationFile } from '@/lib/browser/storage/generations'

export const CHECKERED =
  'bg-[repeating-conic-gradient(var(--color-sunken)_0_25%,var(--color-line)_0_50%)] bg-size-[16px_16px]'

export type FileSource = { blob: Blob; url: string }

/**
 * Returns the bytes of a file and a URL of them that lasts as long as the component; `null` where the bytes are gone.
 */
export function useFile(file: Pick<CreationFile, 'hash' | 'mediaType'> | undefined): FileSource | null | undefined {
  const blob = useLoaded(file?.hash, async () => file && (await loadPlayable(file)))
  const url = useObjectUrl(blob)
  if (blob === null) return null
  return blob && url ? { blob, url } : undefined
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
