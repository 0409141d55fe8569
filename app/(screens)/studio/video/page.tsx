import type { Metadata } from 'next'
import { ready } from '@/app/ready'
import { VideoStudio } from '@/components/studio/video/video-studio'
import { t } from '@/lib/i18n/t'

export async function generateMetadata(): Promise<Metadata> {
  await ready()
  return { title: t('Studio: video') }
}

export default function VideoStudioScreen() {
  return <VideoStudio />
}
