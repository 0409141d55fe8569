import { titled } from '@/app/page-language'
import { CharacterPage } from '@/components/characters/character-page'
import { msg } from '@/lib/i18n/t'

type CharacterScreenProps = { params: Promise<{ slug: string }> }

export const generateMetadata = titled(msg('Character'))

export default async function CharacterScreen({ params }: CharacterScreenProps) {
  return <CharacterPage slug={(await params).slug} />
}
