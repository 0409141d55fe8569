'use client'

import { FileX } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { loadBlob } from '@/lib/browser/storage/blobs'
import { t } from '@/lib/i18n/t'

type Loaded<T> = T | null | undefined

/** Returns what is loaded for a hash: undefined until it is known, `null` where it is gone or cannot be read. */
export function useLoaded<T>(hash: string | undefined, load: (hash: string) => Promise<T | undefined>): Loaded<T> {
  const [found, setFound] = useState<{ hash: string; value: T | null }>()
  const start = useEffectEvent(load)
  useEffect(() => {
    if (hash === undefined) return
    let isGone = false
    start(hash).then(
      (value) => !isGone && setFound({ hash, value: value ?? null }),
      () => !isGone && setFound({ hash, value: null }),
    )
    return () => {
      isGone = true
    }
  }, [hash])
  return found?.hash === hash ? found?.value : undefined
}

export const useBlob = (hash: string | undefined): Loaded<Blob> => useLoaded(hash, loadBlob)

/**
 * Returns an object URL for the bytes while the component is mounted.
 * @param mediaType overrides what the file said of itself.
 */
export function useObjectUrl(blob: Loaded<Blob>, mediaType = blob?.type): string | undefined {
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

export function MissingBytes({ name }: { name: string }) {
  return (
    <p className="flex max-w-72 items-center gap-2 rounded-card border border-dashed border-control px-3 py-2 text-13 text-ink-2">
      <FileX aria-hidden="true" className="size-5 shrink-0 text-ink-3" strokeWidth={1.5} />
      <span className="min-w-0">
        <bdi className="block truncate font-medium">{name}</bdi>
        {t('This file is no longer on this device.')}
      </span>
    </p>
  )
}
