'use client'

import dynamic from 'next/dynamic'
import { Picture } from '@/components/characters/picture'
import { pathOf } from '@/lib/browser/characters'
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
