'use client'

import { useLiveQuery } from 'dexie-react-hooks'
import { Monogram, PortraitImage } from '@/components/characters/portrait-image'
import { useBlob, useObjectUrl } from '@/components/common/stored-bytes'
import { findLocal } from '@/lib/browser/storage/own-characters'

type LocalPortraitProps = { id: string; name: string; className: string }

export function LocalPortrait({ id, name, className }: LocalPortraitProps) {
  const hash = useLiveQuery(async () => (await findLocal(id))?.portrait, [id])
  return <StoredImage hash={hash} name={name} className={className} />
}

type StoredImageProps = { hash: string | undefined; name: string; className: string }

export function StoredImage({ hash, name, className }: StoredImageProps) {
  const url = useObjectUrl(useBlob(hash))
  if (!url) return <Monogram name={name} className={className} />
  return <PortraitImage src={url} name={name} className={className} isEager />
}
