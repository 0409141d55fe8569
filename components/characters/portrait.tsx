'use client'

import dynamic from 'next/dynamic'
import { PortraitImage } from '@/components/characters/portrait-image'
import { pathOf } from '@/lib/browser/characters'
import type { CharacterRef } from '@/lib/browser/storage/records'

const LocalPortrait = dynamic(
  () => import('@/components/characters/local-portrait').then((module) => module.LocalPortrait),
  { ssr: false },
)

type PortraitProps = { character: CharacterRef; src?: string; className: string; isEager?: boolean }

export function Portrait({ character, src, className, isEager = false }: PortraitProps) {
  if (character.isLocal) return <LocalPortrait id={character.id} name={character.name} className={className} />
  return (
    <PortraitImage
      src={src ?? `${pathOf(character.id)}/portrait`}
      name={character.name}
      className={className}
      isEager={isEager}
    />
  )
}
