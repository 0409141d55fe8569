import { useEffect, useState } from 'react'
import { loadBlob } from '@/lib/browser/storage/blobs'

/** An address of this page for a file, or for bytes that are kept under a hash; nothing until they are read. */
export function useBlobUrl(source: Blob | string | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    let made: string | undefined
    let isGone = false
    const show = (blob: Blob | undefined) => {
      if (!blob || isGone) return
      made = URL.createObjectURL(blob)
      setUrl(made)
    }
    if (typeof source === 'string') void loadBlob(source).then(show, () => undefined)
    else show(source)
    return () => {
      isGone = true
      setUrl(undefined)
      if (made) URL.revokeObjectURL(made)
    }
  }, [source])
  return url
}
