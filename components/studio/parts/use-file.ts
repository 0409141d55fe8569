'use client'

import { useEffect, useState } from 'react'
import { loadFile } from '@/components/studio/files'
import type { CreationFile } from '@/lib/browser/storage/generations'

/** An address of a file's bytes as long as the component is there; `null` when this browser has no such bytes. */
export function useFileUrl(file: Pick<CreationFile, 'hash' | 'mediaType'> | undefined): string | null | undefined {
  const { hash, mediaType } = file ?? {}
  const [found, setFound] = useState<{ hash: string; url: string | null }>()
  useEffect(() => {
    if (hash === undefined || mediaType === undefined) return
    let url: string | undefined
    let isGone = false
    loadFile({ hash, mediaType }).then(
      (blob) => {
        if (isGone) return
        url = blob && URL.createObjectURL(blob)
        setFound({ hash, url: url ?? null })
      },
      () => !isGone && setFound({ hash, url: null }),
    )
    return () => {
      isGone = true
      setFound(undefined)
      if (url) URL.revokeObjectURL(url)
    }
  }, [hash, mediaType])
  return found?.hash === hash ? found?.url : undefined
}
