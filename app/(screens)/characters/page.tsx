import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { Gallery } from '@/components/characters/gallery'
import { t } from '@/lib/i18n/t'

export async function generateMetadata(): Promise<Metadata> {
  await ready()
  return { title: t('Characters') }
}

export default function CharactersPage() {
  return <Gallery />
}
