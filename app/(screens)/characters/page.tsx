import { titled } from '@/app/page-language'
import { Gallery } from '@/components/characters/gallery'
import { msg } from '@/lib/i18n/t'

export const generateMetadata = titled(msg('Characters'))

export default function CharactersPage() {
  return <Gallery />
}
