'use client'

import { useEffect, useState } from 'react'
import { loadBlob } from '@/lib/browser/storage/blobs'

type Loaded = Blob | null | undefined

export function useBlob(hash: string | undefined): Loaded {
  const [found, setFound] = useState<{ hash: string; blob: Blob | null }>()
  useEffect(() => {
    if (hash === undefined) return
    let isGone = false
    loadBlob(hash).then(
      (blob) => !isGone && setFound({ hash, blob: blob ?? null }),
      () => !isGone && setFound({ hash, blob: null }),
    )
    return () => {
      isGone = true
    }
  }, [hash])
  return found?.hash === hash ? found?.blob : undefined
}

/**
 * Returns an object URL for the bytes while the component is mounted.
 * @param mediaType overrides what the file said of itself.
 */
export function useObjectUrl(blob: Loaded, mediaType = blob?.type): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!blob) return
    const created = URL.createObjectURL(blob.type === mediaType ? blob : blob.slice(0, blob.size, mediaType))
    setAddress(created)
    return () => {
      setAddress(undefined)
      URL.revokeObjectURL(created)
    }
  }, [blob, mediaType])
  return address
}
