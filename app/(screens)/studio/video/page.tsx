import { titled } from '@/app/page-language'
import { VideoStudio } from '@/components/studio/video/video-studio'
import { msg } from '@/lib/i18n/t'

export const generateMetadata = titled(msg('Studio: video'))

export default function VideoStudioScreen() {
  return <VideoStudio />
}
