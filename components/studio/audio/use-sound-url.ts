'use client'

import { useEffect, useState } from 'react'
import { wavOfPcm } from '@/components/studio/audio/wav'
import { loadFile } from '@/components/studio/files'
import type { CreationFile } from '@/lib/browser/storage/generations'

export type SoundSource = { blob: Blob; url: string }

/** The bytes of a sound as a browser plays them, and their address; `null` when this browser has them no more. */
export function useSoundSource(
  file: Pick<CreationFile, 'hash' | 'mediaType'> | undefined,
): SoundSource | null | undefined {
  const { hash, mediaType } = file ?? {}
  const [found, setFound] = useState<{ hash: string; source: SoundSource | null }>()
  useEffect(() => {
    if (hash === undefined || mediaType === undefined) return
    let url: string | undefined
    let isGone = false
    const show = (bytes: Blob | undefined) => {
      if (isGone) return
      // Bare samples are no file to a browser.
      const blob = bytes && mediaType === 'audio/pcm' ? wavOfPcm(bytes) : bytes
      url = blob && URL.createObjectURL(blob)
      setFound({ hash, source: blob && url ? { blob, url } : null })
    }
    loadFile({ hash, mediaType }).then(show, () => show(undefined))
    return () => {
      isGone = true
      setFound(undefined)
      if (url) URL.revokeObjectURL(url)
    }
  }, [hash, mediaType])
  return found?.hash === hash ? found?.source : undefined
}
