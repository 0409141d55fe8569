import { expect, test } from 'vitest'
import { WEIGHTS, type WeightsName } from '@/lib/services/engines/embedded/weights/manifest'
import { PROFILE_WEIGHTS } from '@/lib/services/engines/embedded/weights/weights'

const names = Object.keys(WEIGHTS) as WeightsName[]

test.each(names)('each file of %s is made of parts that its packages hold, and is as large as they are', (name) => {
  const { packages, files } = WEIGHTS[name]
  const sizes = new Map(
    packages.flatMap((one) => Object.entries(one.files).map(([path, size]) => [`${one.name}/${path}`, size])),
  )
  for (const { name: file, recipe, sizeBytes, sha256 } of files) {
    expect(sha256, file).toMatch(/^[0-9a-f]{64}$/)
    if ('minimindPackage' in recipe) continue
    expect(
      recipe.parts.reduce((sum, part) => sum + (sizes.get(part) ?? Number.NaN), 0),
      file,
    ).toBe(sizeBytes)
  }
})

test.each(names)('the packages of %s are pinned by a whole hash, and nothing leaves its folder', (name) => {
  const { packages, files } = WEIGHTS[name]
  for (const { integrity, version } of packages) {
    expect(Buffer.from(integrity.replace('sha512-', ''), 'base64')).toHaveLength(64)
    expect(version).toMatch(/^\d+\.\d+\.\d+$/)
  }
  for (const file of files) expect(file.name).toMatch(/^[\w-]+(\.[\w-]+)+$/)
})

test('whoever pulls both profiles has all weights', () => {
  expect([...new Set([...PROFILE_WEIGHTS.standard, ...PROFILE_WEIGHTS.lean])].toSorted()).toEqual(names.toSorted())
})
