// Made from the folders of app/api by `node scripts/run.mjs routes`.
import * as route0 from '@/app/api/chain/[family]/route'
import * as route1 from '@/app/api/characters/route'
import * as route2 from '@/app/api/characters/import/route'
import * as route3 from '@/app/api/characters/mine/route'
import * as route4 from '@/app/api/characters/[slug]/route'
import * as route5 from '@/app/api/characters/[slug]/export/route'
import * as route6 from '@/app/api/characters/[slug]/opening/route'
import * as route7 from '@/app/api/characters/[slug]/portrait/route'
import * as route8 from '@/app/api/characters/[slug]/review/route'
import * as route9 from '@/app/api/rpc/matrix/route'
import * as route10 from '@/app/api/rpc/networks/route'
import * as route11 from '@/app/api/sandbox/ether/route'
import * as route12 from '@/app/api/sandbox/faucet/route'
import * as route13 from '@/app/api/session/route'
import * as route14 from '@/app/api/session/challenge/route'
import * as route15 from '@/app/api/sessions/route'
import * as route16 from '@/app/api/sessions/[id]/route'
import * as route17 from '@/app/api/v1/api_keys/generate_web3_key/route'
import * as route18 from '@/app/api/v1/characters/route'
import * as route19 from '@/app/api/v1/characters/[slug]/route'
import * as route20 from '@/app/api/v1/characters/[slug]/reviews/route'
import * as route21 from '@/app/api/v1/chat/completions/route'
import * as route22 from '@/app/api/v1/crypto/rpc/networks/route'
import * as route23 from '@/app/api/v1/crypto/rpc/[network]/route'
import * as route24 from '@/app/api/v1/models/route'
import * as route25 from '@/app/api/v1/models/compatibility_mapping/route'
import * as route26 from '@/app/api/v1/models/traits/route'
import * as route27 from '@/app/api/v1/models/[...id]/route'
import * as route28 from '@/app/api/v1/responses/route'
import * as route29 from '@/app/api/v1/x402/balance/[walletAddress]/route'
import * as route30 from '@/app/api/v1/x402/top-up/route'
import * as route31 from '@/app/api/v1/x402/transactions/[walletAddress]/route'
import * as route32 from '@/app/api/v1/[...path]/route'
import * as route33 from '@/app/api/wallet/route'
import * as route34 from '@/app/api/wallet/transactions.csv/route'

/** Every handler of the API, for the server in front of Next. */
export const routes = [
  { pattern: ['api', 'chain', '[family]'], module: route0 },
  { pattern: ['api', 'characters'], module: route1 },
  { pattern: ['api', 'characters', 'import'], module: route2 },
  { pattern: ['api', 'characters', 'mine'], module: route3 },
  { pattern: ['api', 'characters', '[slug]'], module: route4 },
  { pattern: ['api', 'characters', '[slug]', 'export'], module: route5 },
  { pattern: ['api', 'characters', '[slug]', 'opening'], module: route6 },
  { pattern: ['api', 'characters', '[slug]', 'portrait'], module: route7 },
  { pattern: ['api', 'characters', '[slug]', 'review'], module: route8 },
  { pattern: ['api', 'rpc', 'matrix'], module: route9 },
  { pattern: ['api', 'rpc', 'networks'], module: route10 },
  { pattern: ['api', 'sandbox', 'ether'], module: route11 },
  { pattern: ['api', 'sandbox', 'faucet'], module: route12 },
  { pattern: ['api', 'session'], module: route13 },
  { pattern: ['api', 'session', 'challenge'], module: route14 },
  { pattern: ['api', 'sessions'], module: route15 },
  { pattern: ['api', 'sessions', '[id]'], module: route16 },
  { pattern: ['api', 'v1', 'api_keys', 'generate_web3_key'], module: route17 },
  { pattern: ['api', 'v1', 'characters'], module: route18 },
  { pattern: ['api', 'v1', 'characters', '[slug]'], module: route19 },
  { pattern: ['api', 'v1', 'characters', '[slug]', 'reviews'], module: route20 },
  { pattern: ['api', 'v1', 'chat', 'completions'], module: route21 },
  { pattern: ['api', 'v1', 'crypto', 'rpc', 'networks'], module: route22 },
  { pattern: ['api', 'v1', 'crypto', 'rpc', '[network]'], module: route23 },
  { pattern: ['api', 'v1', 'models'], module: route24 },
  { pattern: ['api', 'v1', 'models', 'compatibility_mapping'], module: route25 },
  { pattern: ['api', 'v1', 'models', 'traits'], module: route26 },
  { pattern: ['api', 'v1', 'models', '[...id]'], module: route27 },
  { pattern: ['api', 'v1', 'responses'], module: route28 },
  { pattern: ['api', 'v1', 'x402', 'balance', '[walletAddress]'], module: route29 },
  { pattern: ['api', 'v1', 'x402', 'top-up'], module: route30 },
  { pattern: ['api', 'v1', 'x402', 'transactions', '[walletAddress]'], module: route31 },
  { pattern: ['api', 'v1', '[...path]'], module: route32 },
  { pattern: ['api', 'wallet'], module: route33 },
  { pattern: ['api', 'wallet', 'transactions.csv'], module: route34 },
]
