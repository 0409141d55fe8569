import { titled } from '@/app/page-language'
import { AudioStudio } from '@/components/studio/audio/audio-studio'
import { msg } from '@/lib/i18n/t'

export const generateMetadata = titled(msg('Studio: audio'))

export default function AudioStudioScreen() {
  return <AudioStudio />
}
