'use client'

import dynamic from 'next/dynamic'
import { useState } from 'react'
import { Monogram } from '@/components/characters/monogram'
import { pathOf } from '@/lib/browser/character-queries'
import type { CharacterRef } from '@/lib/browser/storage/records'

/** Fetched with the first character of this browser: it needs the database. */
const LocalPortrait = dynamic(
  () => import('@/components/characters/local-portrait').then((module) => module.LocalPortrait),
  { ssr: false },
)

type PortraitProps = {
  character: CharacterRef
  /** Where its picture is, if that is known better. Always of this origin. */
  src?: string
  /** Its size and shape. */
  className: string
  isEager?: boolean
}

/** What a character looks like. Only decorates: its name stands beside it. */
export function Portrait({ character, src, className, isEager = false }: PortraitProps) {
  if (character.isLocal) return <LocalPortrait id={character.id} name={character.name} className={className} />
  return (
    <Picture
      src={src ?? `${pathOf(character.id)}/portrait`}
      name={character.name}
      className={className}
      isEager={isEager}
    />
  )
}

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
