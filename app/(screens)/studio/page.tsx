import { titled } from '@/app/page-language'
import { ImageStudio } from '@/components/studio/image/image-studio'
import { msg } from '@/lib/i18n/t'

export const generateMetadata = titled(msg('Studio'))

export default function StudioScreen() {
  return <ImageStudio />
}
