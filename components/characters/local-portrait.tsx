'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { useEffect, useState } from 'react'
import { Monogram, PortraitImage } from '@/components/characters/portrait-image'
import { loadBlob } from '@/lib/browser/storage/blobs'
import { findLocal } from '@/lib/browser/storage/own-characters'

type LocalPortraitProps = { id: string; name: string; className: string }

export function LocalPortrait({ id, name, className }: LocalPortraitProps) {
  const hash = useLiveQuery(async () => (await findLocal(id))?.portrait, [id])
  return <StoredImage hash={hash} name={name} className={className} />
}

type StoredImageProps = { hash: string | undefined; name: string; className: string }

export function StoredImage({ hash, name, className }: StoredImageProps) {
  const url = useBlobUrl(hash)
  if (!url) return <Monogram name={name} className={className} />
  return <PortraitImage src={url} name={name} className={className} isEager />
}

function useBlobUrl(hash: string | undefined): string | undefined {
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (hash === undefined) return
    let made: string | undefined
    let isOver = false
    void loadBlob(hash).then((blob) => {
      if (!blob || isOver) return
      made = URL.createObjectURL(blob)
      setUrl(made)
    })
    return () => {
      isOver = true
      setUrl(undefined)
      if (made) URL.revokeObjectURL(made)
    }
  }, [hash])
  return url
}
