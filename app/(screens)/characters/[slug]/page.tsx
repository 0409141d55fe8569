import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { CharacterPage } from '@/components/characters/character-page'
import { t } from '@/lib/i18n/t'

type CharacterScreenProps = { params: Promise<{ slug: string }> }

export async function generateMetadata(): Promise<Metadata> {
  await ready()
  return { title: t('Character') }
}

export default async function CharacterScreen({ params }: CharacterScreenProps) {
  return <CharacterPage slug={(await params).slug} />
}
