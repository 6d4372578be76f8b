// Command issue writes the keys of one reference control plane into a directory: a certificate authority, the API
// server's serving certificate for 127.0.0.1 and localhost, and the key pair that signs service account tokens.
package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 2 {
		log.Fatal("usage: issue DIRECTORY")
	}
	dir := os.Args[1]
	authority := &x509.Certificate{
		Subject: pkix.Name{CommonName: "reference-ca"}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	authorityKey := issue(dir, "ca", authority, authority, nil)
	serving := &x509.Certificate{
		Subject: pkix.Name{CommonName: "kube-apiserver"}, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 0, 0, 1)},
		DNSNames:    []string{"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"},
	}
	issue(dir, "server", serving, authority, authorityKey)
	signer, err := rsa.GenerateKey(rand.Reader, 2048)
	check(err)
	write(dir, "service-account.key", private(signer))
	public, err := x509.MarshalPKIXPublicKey(signer.Public())
	check(err)
	write(dir, "service-account.pub", &pem.Block{Type: "PUBLIC KEY", Bytes: public})
}

// issue writes NAME.crt and NAME.key and answers the new key; a nil parentKey means self-signed.
func issue(dir, name string, template, parent *x509.Certificate, parentKey crypto.Signer) crypto.Signer {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	if parentKey == nil {
		parentKey = key
	}
	template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	check(err)
	template.NotBefore = time.Now().Add(-time.Hour)
	template.NotAfter = time.Now().AddDate(1, 0, 0)
	der, err := x509.CreateCertificate(rand.Reader, template, parent, key.Public(), parentKey)
	check(err)
	write(dir, name+".crt", &pem.Block{Type: "CERTIFICATE", Bytes: der})
	write(dir, name+".key", private(key))
	return key
}

func private(key crypto.Signer) *pem.Block {
	der, err := x509.MarshalPKCS8PrivateKey(key)
	check(err)
	return &pem.Block{Type: "PRIVATE KEY", Bytes: der}
}

func write(dir, name string, block *pem.Block) {
	check(os.WriteFile(filepath.Join(dir, name), pem.EncodeToMemory(block), 0o600))
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
