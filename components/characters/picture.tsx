'use client'

import { useState } from 'react'
import { Monogram } from '@/components/characters/monogram'

type PictureProps = { src: string; name: string; className: string; isEager?: boolean }

/** A picture that keeps its place while it comes, and gives way to letters when it does not. */
export function Picture({ src, name, className, isEager = false }: PictureProps) {
  const [failed, setFailed] = useState<string>()
  if (failed === src) return <Monogram name={name} className={className} />
  return (
    // biome-ignore lint/performance/noImgElement: the service draws them small already
    <img
      src={src}
      alt=""
      width={240}
      height={240}
      loading={isEager ? 'eager' : 'lazy'}
      decoding="async"
      draggable={false}
      onError={() => setFailed(src)}
      className={`bg-hover object-cover ${className}`}
    />
  )
}
