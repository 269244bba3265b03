//! Secrets that are given to commands to keep.

use super::{check, untouched};

#[test]
fn commands_that_keep_secrets() {
    check(&[
        ("htpasswd -b .htpasswd me hunter2", "htpasswd -b .htpasswd me ‹secret›"),
        ("htpasswd -cbB f me 'hunter 2' && ls", "htpasswd -cbB f me '‹secret›' && ls"),
        ("fly secrets set A=abc B=\"d e\" -a app", "fly secrets set A=‹secret› B=\"‹secret›\" -a app"),
        ("fly secrets set 'A=b c' --stage", "fly secrets set 'A=‹secret›' --stage"),
        ("heroku config:set STRIPE=abc -a app", "heroku config:set STRIPE=‹secret› -a app"),
        ("dokku config:set --no-restart app A=abc", "dokku config:set --no-restart app A=‹secret›"),
        ("gh secret set X --body abc --repo a/b", "gh secret set X --body ‹secret› --repo a/b"),
        ("gh secret set X -b\"$V\" -b abc", "gh secret set X -b\"$V\" -b ‹secret›"),
        (
            "az keyvault secret set --vault-name v --name n --value abc",
            "az keyvault secret set --vault-name v --name n --value ‹secret›",
        ),
        (
            "kubectl create secret generic x --from-literal=a=b --from-literal c=d",
            "kubectl create secret generic x --from-literal=a=‹secret› --from-literal c=‹secret›",
        ),
        ("vault kv put secret/app a=b c=d", "vault kv put secret/app a=‹secret› c=‹secret›"),
        ("netlify env:set NAME abc", "netlify env:set NAME ‹secret›"),
        ("dotnet user-secrets set Db:Conn 'a b'", "dotnet user-secrets set Db:Conn '‹secret›'"),
        (
            "aws ssm put-parameter --name n --value abc --type SecureString",
            "aws ssm put-parameter --name n --value ‹secret› --type SecureString",
        ),
        ("ansible-vault encrypt_string 'abc' --name x", "ansible-vault encrypt_string '‹secret›' --name x"),
        ("echo 'me:hunter2' | sudo chpasswd", "echo '‹password›' | sudo chpasswd"),
        ("chpasswd <<< me:hunter2", "chpasswd <<< ‹password›"),
        ("mc alias set s https://h.io key abc", "mc alias set s https://h.io key ‹secret›"),
        (
            "fly secrets set A=b --access-token abcdef B=c",
            "fly secrets set A=‹secret› --access-token ‹token› B=‹secret›",
        ),
    ]);
}

#[test]
fn commands_that_only_look_alike() {
    untouched(&[
        "htpasswd -c .htpasswd me",
        "fly secrets list && fly secrets unset A",
        "fly secrets set A=\"$A\" B=${B}",
        "heroku config:get STRIPE -a app",
        "gh secret set X < file && gh secret list",
        "gh secret set X --body \"$VALUE\" && git push",
        "kubectl create configmap x --from-file=a=b",
        "vault kv get secret/app",
        "vault kv put secret/app @data.json",
        "vault kv put secret/app key=@file",
        "netlify env:list",
        "how the alias set by a user is kept, and config:setting=1",
        "aws ssm put-parameter --name n --value abc --type String",
    ]);
}
