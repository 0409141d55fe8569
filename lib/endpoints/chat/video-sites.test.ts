import { expect, test } from 'vitest'
import { isOnSite, isVideoPage } from '@/lib/endpoints/chat/video-sites'

test.each([
  'https://www.youtube.com/watch?v=x',
  'https://youtu.be/x',
  'HTTPS://M.YouTube.com./watch',
  'http://vimeo.com/1',
])('a page of a video site: %s', (address) => {
  expect(isVideoPage(address)).toBe(true)
})

test.each([
  'https://notyoutube.com/x.mp4',
  'https://youtube.com.evil.example/x',
  'https://youtube.com@evil.example/x',
  'https://files.example/youtube.com/x.mp4',
  'data:video/mp4;base64,AAAA',
  'ftp://youtube.com/x',
  'https://',
])('none: %s', (address) => {
  expect(isVideoPage(address)).toBe(false)
})

test('a model reads the sites that it declares, and no others', () => {
  expect(isOnSite('https://films.example/watch/1', ['films.example'])).toBe(true)
  expect(isOnSite('https://www.youtube.com/watch?v=x', ['films.example'])).toBe(false)
  expect(isOnSite('https://www.youtube.com/watch?v=x', [])).toBe(false)
})
