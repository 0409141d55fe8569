/** Source: API contract, README 4 and 5. */
export const SECURITY_SCHEMES = {
  apiKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'An API key of any type: `Authorization: Bearer <key>`. The page `/keys` makes keys.',
  },
  adminKey: { type: 'http', scheme: 'bearer', description: 'An API key of type ADMIN: `Authorization: Bearer <key>`.' },
  wallet: {
    type: 'apiKey',
    in: 'header',
    name: 'SIGN-IN-WITH-X',
    description:
      'Base64 of JSON `{ address, message, signature, chainId, timestamp }`: a sign-in message (EIP-4361, or its Solana form) for this service, signed within the last five minutes. Each proof is good for one request that spends. `X-Sign-In-With-X` is its older name. A request without credentials answers 402 with a challenge to sign.',
  },
  payment: {
    type: 'apiKey',
    in: 'header',
    name: 'PAYMENT-SIGNATURE',
    description:
      'A signed x402 payment, base64 of JSON: it tops up the payer, whose request is then served. `X-402-Payment` and `X-PAYMENT` are its older names. Operators can switch this off; `POST /x402/top-up` always takes payments.',
  },
}
